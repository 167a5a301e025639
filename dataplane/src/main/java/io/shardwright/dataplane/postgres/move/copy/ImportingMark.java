package io.shardwright.dataplane.postgres.move.copy;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.KeyRows;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The compare-and-swap that makes a bucket of the target ours to fill. Whatever rows are there afterwards may be deleted
 * by this move; so where nothing proves that rows are leftovers, none may be there.
 */
final class ImportingMark {
    private final Connection connection;
    private final Incarnation incarnation;
    private final MovedTables tables;
    private final SortedSet<Scope> unproven = new TreeSet<>();

    ImportingMark(Connection connection, Incarnation incarnation, MovedTables tables) {
        this.connection = connection;
        this.incarnation = incarnation;
        this.tables = tables;
    }

    /** All of them, or a fault and none. @param epochs of the buckets on the source */
    void set(SortedMap<Scope, Long> epochs) throws SQLException, MoverFault {
        forgetKeys(epochs.keySet());
        SortedMap<Scope, FenceRow> seen = FenceRows.read(connection, epochs.keySet());
        for (Map.Entry<Scope, Long> scope : epochs.entrySet()) {
            set(scope.getKey(), seen.get(scope.getKey()), scope.getValue());
        }
        refuseForeignRows();
    }

    /**
     * Which keys do not come with their bucket is what its owner says; that is written with the activation, and until then the bucket's
     * row refuses them. What stands here is mostly older, and would refuse a key for ever that comes.
     */
    private void forgetKeys(Set<Scope> scopes) throws SQLException, MoverFault {
        if (incarnation.task().ofKeys()) {
            return;
        }
        SortedSet<Scope> old = new TreeSet<>();
        for (FenceRow row :
                KeyRows.ofBuckets(connection, Scope.bucketsOf(scopes)).values()) {
            FenceRow onSource = tables.overrides().source().get(row.scope());
            boolean ownedThere = onSource == null || onSource.state() == FenceState.OWNED;
            if (row.state() == FenceState.OWNED && ownedThere) {
                throw secondOwner(row.scope());
            }
            if (tables.overrides().outdates(row)) {
                require(KeyRows.lock(connection, row));
                old.add(row.scope());
            }
        }
        KeyRows.drop(connection, old);
    }

    /** Else both shards would take writes of the key, one by its row and the other by that of the bucket. */
    private void refuseSecondOwner(Scope scope) throws SQLException, MoverFault {
        FenceRow bucket = FenceRows.read(connection, Set.of(scope.ofBucket())).get(scope.ofBucket());
        if (scope.isKey() && bucket != null && bucket.state() == FenceState.OWNED) {
            throw secondOwner(scope);
        }
    }

    private MoverFault secondOwner(Scope key) {
        return MoverFault.blocked(
                "key " + key + " of bucket " + key.bucket()
                        + " is owned on two shards: by a fence row of its own on one, and on the other by one, too, or"
                        + " because the owner of its bucket has none",
                "compare the fence rows of both shards, and the rows of the key: both may have taken writes");
    }

    /** @param seen null = absent */
    private void set(Scope scope, FenceRow seen, long epoch) throws SQLException, MoverFault {
        FenceRow next = new FenceRow(scope, FenceState.IMPORTING, epoch, null, incarnation.moveId());
        if (seen == null) {
            refuseSecondOwner(scope);
            require(FenceRows.insertImporting(connection, scope, incarnation.moveId(), epoch));
            unproven.add(scope);
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
                    throw MoverFault.decidedAgainst(new TreeSet<>(Set.of(scope)));
                }
                require(FenceRows.swap(connection, seen, next));
            }
            case MOVED -> {
                if (ours || seen.epoch() > epoch) {
                    throw occupied(seen);
                }
                require(FenceRows.swap(connection, seen, next));
                if (CleanupRecords.rowsOfOthers(connection, incarnation.moveId(), Set.of(scope))
                        .isEmpty()) {
                    unproven.add(scope);
                }
            }
            case OWNED, ABSENT, DRAINING -> throw occupied(seen);
        }
    }

    private void require(boolean swapped) throws MoverFault {
        if (!swapped) {
            throw MoverFault.blocked(
                    "shard " + incarnation.target().shard() + ": the fence changed at the same moment",
                    "nothing: it is read and tried again");
        }
    }

    private MoverFault occupied(FenceRow seen) {
        return MoverFault.blocked(
                "shard " + incarnation.target().shard() + ": " + seen.scope().words() + " is " + seen.state()
                        + " epoch " + seen.epoch() + " of move " + seen.moveId() + " and cannot be filled by this one",
                "let the other move end, or abort it");
    }

    /** One scan of each table for the whole set: it may take as long as it takes. */
    private void refuseForeignRows() throws SQLException, MoverFault {
        if (unproven.isEmpty()) {
            return;
        }
        Map<String, Scope> byName = FenceRows.byName(unproven);
        SortedMap<Scope, List<String>> found = new TreeMap<>();
        for (MovedTable table : tables.tables()) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT " + table.scopeName(unproven) + ", count(*) FROM "
                            + table.sql() + " WHERE " + table.in(unproven) + " GROUP BY 1")) {
                while (row.next()) {
                    found.computeIfAbsent(byName.get(row.getString(1)), scope -> new ArrayList<>())
                            .add(row.getLong(2) + " in " + table.qualifiedName());
                }
            }
        }
        if (!found.isEmpty()) {
            throw new MoverFault(
                    Kind.FOREIGN_ROWS,
                    true,
                    "shard " + incarnation.target().shard() + " has rows that no move has brought there: "
                            + found.entrySet().stream()
                                    .map(scope -> scope.getKey().words() + ": " + String.join(", ", scope.getValue()))
                                    .collect(Collectors.joining("; ")),
                    "compare them with the rows on " + incarnation.source().shard()
                            + " and delete or merge them; the mover never touches them",
                    null);
        }
    }
}
