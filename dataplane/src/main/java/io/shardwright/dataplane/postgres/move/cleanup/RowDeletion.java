package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Predicate;

/**
 * Deletes the rows of buckets on one side, a batch per transaction. Every batch first locks the cleanup records by this
 * mover's token and reads the fence rows FOR SHARE: a frozen cleaner that wakes up later finds another token or another
 * state and deletes nothing. Keys of a bucket that have a fence row of their own here are left alone. On the target a batch is signed,
 * so that a way back does not delete on the source what is left over there.
 */
public final class RowDeletion {
    private static final int BATCH = 2_000;

    /** A cleaner that stands still gives up the fence rows that it holds. */
    private static final Duration FROZEN = Duration.ofSeconds(10);

    private final Incarnation incarnation;
    private final Side side;
    private final SortedSet<Scope> scopes;
    private final Predicate<FenceRow> expected;
    private final Brake brake;

    /**
     * @param expected the state in which the fence row of each bucket allows the deletion
     * @param brake asked before each batch
     */
    public RowDeletion(
            Incarnation incarnation, Side side, SortedSet<Scope> scopes, Predicate<FenceRow> expected, Brake brake) {
        this.incarnation = incarnation;
        this.side = side;
        this.scopes = scopes;
        this.expected = expected;
        this.brake = brake;
    }

    /** Goes on until a whole pass over a table finds nothing more. @return deleted rows */
    public long run(MoverStep step, MovedTables tables) throws MoverFault {
        if (scopes.isEmpty()) {
            return 0;
        }
        Connection connection = side.open(Duration.ZERO, Duration.ofMinutes(10), Duration.ofSeconds(10));
        try {
            Side.endWhenFrozen(connection, FROZEN);
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET session_replication_role = replica");
                connection.commit();
            }
            long deleted = 0;
            for (MovedTable table : tables.tables()) {
                deleted += empty(connection, step, table);
            }
            return deleted;
        } catch (SQLException e) {
            throw side.fault("delete rows", e);
        } finally {
            side.endGently(connection);
        }
    }

    private long empty(Connection connection, MoverStep step, MovedTable table) throws SQLException, MoverFault {
        long deleted = 0;
        long inPass;
        do {
            inPass = 0;
            List<String> behind = List.of();
            do {
                brake.awaitRelease();
                incarnation.before(step);
                Batch batch = delete(connection, table, behind);
                connection.commit();
                incarnation.done(step);
                inPass += batch.rows();
                behind = batch.last();
            } while (!behind.isEmpty());
            deleted += inPass;
        } while (inPass > 0);
        return deleted;
    }

    /** @param last key of the last row, empty when there was none */
    private record Batch(long rows, List<String> last) {}

    private Batch delete(Connection connection, MovedTable table, List<String> behind) throws SQLException, MoverFault {
        checkRights(connection);
        int width = table.key().size();
        String ordered = table.keyList();
        String doomed = "SELECT " + ordered + " FROM " + table.sql() + " AS t WHERE " + table.in(scopes)
                + notApart(table)
                + (behind.isEmpty() ? "" : " AND (" + ordered + ") > (" + table.keyList(column -> "?") + ")")
                + " ORDER BY " + ordered + " LIMIT " + BATCH;
        String sql = "WITH doomed AS MATERIALIZED (" + doomed + "), gone AS (DELETE FROM " + table.sql()
                + " AS t USING doomed d WHERE (" + table.keyList(column -> "t." + column) + ") = ("
                + table.keyList(column -> "d." + column) + ") RETURNING 1)"
                + " SELECT (SELECT count(*) FROM gone), " + table.keyList(column -> "d." + column + "::text")
                + " FROM doomed d ORDER BY " + table.keyList(column -> "d." + column + " DESC") + " LIMIT 1";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < behind.size(); i++) {
                statement.setObject(i + 1, behind.get(i), java.sql.Types.OTHER);
            }
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return new Batch(0, List.of());
                }
                List<String> last = new ArrayList<>();
                for (int i = 0; i < width; i++) {
                    last.add(row.getString(i + 2));
                }
                return new Batch(row.getLong(1), last);
            }
        }
    }

    /** Of a bucket; the row of a key that is to be deleted is one of those that were looked at. */
    private String notApart(MovedTable table) {
        return incarnation.task().ofKeys()
                ? ""
                : " AND NOT EXISTS (SELECT FROM shardwright.fence k WHERE k.scope = ('k:' || t." + table.shardKeyText()
                        + ") COLLATE \"C\")";
    }

    private void checkRights(Connection connection) throws SQLException, MoverFault {
        if (side == incarnation.target()) {
            ProgressRow.sign(connection, incarnation);
        }
        SortedSet<Scope> mine = CleanupRecords.lockRows(connection, incarnation.moveId(), incarnation.token(), scopes);
        if (!mine.containsAll(scopes)) {
            throw MoverFault.superseded();
        }
        var fence = FenceRows.readForShare(connection, scopes);
        for (Scope scope : scopes) {
            FenceRow row = fence.get(scope);
            if (row == null || !expected.test(row)) {
                throw MoverFault.blocked(
                        "shard " + side.shard() + ": " + scope.words() + " is " + row + ", so its rows are not deleted",
                        "nothing: the fence rows are read again, and what they say is done");
            }
        }
        refuseUnseen(connection); // behind the locked rows, with which a demotion writes its record
    }

    /** Of two owners this was the older one: rows that it took are nowhere else. */
    private void refuseUnseen(Connection connection) throws SQLException, MoverFault {
        SortedSet<Scope> demoted = CleanupRecords.demoted(connection, scopes);
        if (!demoted.isEmpty()) {
            throw MoverFault.blocked(
                    "shard " + side.shard() + " was demoted as owner of " + Scope.words(demoted)
                            + " and may have rows that no other shard has, so none is deleted",
                    "compare the rows of these buckets on both shards (runbook ShardwrightTwoOwners), then remove the record");
        }
    }
}
