package io.shardwright.dataplane.postgres.move.copy;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;

/**
 * The compare-and-swap that makes a bucket of the target ours to fill. Whatever rows are there afterwards may be deleted
 * by this move; so where nothing proves that rows are leftovers, none may be there.
 */
final class ImportingMark {
    private final Connection connection;
    private final Incarnation incarnation;
    private final MovedTables tables;

    ImportingMark(Connection connection, Incarnation incarnation, MovedTables tables) {
        this.connection = connection;
        this.incarnation = incarnation;
        this.tables = tables;
    }

    /** @param seen null = absent */
    void set(int bucket, FenceRow seen, long epoch) throws SQLException, MoverFault {
        FenceRow next = new FenceRow(bucket, FenceState.IMPORTING, epoch, null, incarnation.moveId());
        if (seen == null) {
            require(FenceRows.insertImporting(connection, bucket, incarnation.moveId(), epoch));
            refuseForeignRows(bucket);
            return;
        }
        boolean ours = incarnation.moveId().equals(seen.moveId());
        switch (seen.state()) {
            case IMPORTING -> {
                if (!ours || seen.epoch() != epoch) {
                    throw occupied(seen);
                }
            }
            case ABORTED -> {
                if (ours) {
                    throw MoverFault.decidedAgainst(new TreeSet<>(Set.of(bucket)));
                }
                require(FenceRows.swap(connection, seen, next));
            }
            case MOVED -> {
                if (ours || seen.epoch() > epoch) {
                    throw occupied(seen);
                }
                require(FenceRows.swap(connection, seen, next));
                if (CleanupRecords.rowsOfOthers(connection, incarnation.moveId(), Set.of(bucket))
                        .isEmpty()) {
                    refuseForeignRows(bucket);
                }
            }
            case OWNED, ABSENT, DRAINING -> throw occupied(seen);
        }
    }

    private void require(boolean swapped) throws MoverFault {
        if (!swapped) {
            throw MoverFault.blocked(
                    "shard " + incarnation.target().shard() + ": the fence changed at the same moment", "none");
        }
    }

    private MoverFault occupied(FenceRow seen) {
        return MoverFault.blocked(
                "shard " + incarnation.target().shard() + ": bucket " + seen.bucket() + " is " + seen.state()
                        + " epoch " + seen.epoch() + " of move " + seen.moveId() + " and cannot be filled by this one",
                "let the other move end, or abort it");
    }

    private void refuseForeignRows(int bucket) throws SQLException, MoverFault {
        StringBuilder found = new StringBuilder();
        for (MovedTable table : tables.tables()) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT count(*) FROM " + table.sql() + " WHERE " + table.in(Set.of(bucket)))) {
                row.next();
                if (row.getLong(1) > 0) {
                    found.append(found.isEmpty() ? "" : ", ")
                            .append(row.getLong(1))
                            .append(" in ")
                            .append(table.qualifiedName());
                }
            }
        }
        if (!found.isEmpty()) {
            throw new MoverFault(
                    Kind.FOREIGN_ROWS,
                    true,
                    "shard " + incarnation.target().shard() + " has rows of bucket " + bucket
                            + " that no move has brought there: " + found,
                    "compare them with the rows on " + incarnation.source().shard()
                            + " and delete or merge them; the mover never touches them",
                    null);
        }
    }
}
