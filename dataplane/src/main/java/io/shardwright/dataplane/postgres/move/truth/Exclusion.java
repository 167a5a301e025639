package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A move of a bucket and one of a key in it, or two of one key, never share a shard, whoever makes them: each writes down on both of its shards whose
 * rows it is about, before anything else, and does not begin where the other has. The records stay until their move has ended, so
 * which keys of a bucket have a row of their own on its shards does not change while it moves.
 */
public final class Exclusion {
    /** Beside the object of a drain; so that of two that look at the same time one sees the other's record. */
    private static final String ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(" + ScopeLock.DRAIN + ", 1)";

    private static final String OTHERS = "SELECT move_id, name FROM shardwright.cleanup_record WHERE kind = 'rows'"
            + " AND move_id <> ALL (?) AND CASE WHEN ? THEN name = ANY (?) ELSE starts_with(name, 'k:')"
            + " AND 'b:' || shardwright.bucket_of(substr(name, 3)) = ANY (?) END ORDER BY name LIMIT 1";

    private Exclusion() {}

    /** In the transaction that writes the records, before them. */
    public static void enter(Connection connection, Side side, MoveTask task) throws SQLException, MoverFault {
        Optional<MoverFault> refusal = refusal(connection, side, task);
        if (refusal.isPresent()) {
            throw refusal.get();
        }
    }

    /** As {@link #enter}. @return why this move may not begin here now; empty = it may */
    public static Optional<MoverFault> refusal(Connection connection, Side side, MoveTask task) throws SQLException {
        try (Statement lock = connection.createStatement();
                PreparedStatement others = connection.prepareStatement(OTHERS)) {
            lock.execute(ONE_AT_A_TIME);
            SortedSet<Scope> buckets = Scope.buckets(Scope.bucketsOf(task.scopes()));
            SortedSet<Scope> both = new TreeSet<>(task.scopes());
            both.addAll(buckets);
            UUID[] legs = {task.moveId(), task.reversalOf().orElseGet(() -> MoveTask.reversalId(task.moveId()))};
            others.setArray(1, connection.createArrayOf("uuid", legs));
            others.setBoolean(2, task.ofKeys());
            others.setArray(3, FenceRows.scopes(connection, both));
            others.setArray(4, FenceRows.scopes(connection, buckets));
            try (ResultSet row = others.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                return Optional.of(MoverFault.blocked(
                        "shard " + side.shard() + ": move " + row.getString(1) + " of "
                                + (task.ofKeys() ? "the key or its bucket" : "a key of the bucket")
                                + " has not ended: a bucket and a key of it move one after the other",
                        "let the other move end, or abort it; this one is tried again"));
            }
        }
    }
}
