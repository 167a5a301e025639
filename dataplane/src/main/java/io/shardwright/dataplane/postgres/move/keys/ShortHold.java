package io.shardwright.dataplane.postgres.move.keys;

import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ScopeHolders;
import io.shardwright.dataplane.postgres.move.truth.ScopeLock;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.dataplane.postgres.move.truth.SqlWork;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * One transaction behind the exclusive locks of some scopes, with the limits of a drain: it waits for writers in flight no longer, is
 * the only one of its database that makes writers wait, and is undone by the server when its mover freezes.
 */
final class ShortHold {
    private static final String REMEDY =
            "end these transactions, or wait for their end; it is tried again in a few seconds";

    private final Incarnation mover;
    private final Side side;
    private final Collection<Scope> scopes;

    ShortHold(Incarnation mover, Side side, Collection<Scope> scopes) {
        this.mover = mover;
        this.side = side;
        this.scopes = scopes;
    }

    /** @return milliseconds for which writers may have waited */
    double run(String doing, SqlWork<?> work) throws MoverFault {
        Limits limits = mover.task().limits();
        refuseCrowd(limits.drainTimeout());
        long[] queued = new long[1];
        side.commitInHaste(limits.drainTimeout(), limits.drainTimeout().multipliedBy(2), doing, connection -> {
            takeTurn(connection, limits.drainTimeout());
            queued[0] = System.nanoTime();
            return inTime(connection, locked -> {
                lock(locked);
                return work.on(locked);
            });
        });
        return (System.nanoTime() - queued[0]) / 1e6;
    }

    /** Whoever has been in for so long stays; to queue behind him makes all writers of the bucket wait, and again with every try. */
    private void refuseCrowd(Duration limit) throws MoverFault {
        List<String> old =
                side.read("look who holds the bucket", connection -> ScopeHolders.olderThan(connection, scopes, limit));
        if (!old.isEmpty()) {
            throw MoverFault.blocked(
                    "shard " + side.shard() + ": writers have been in " + bucket().words() + " for longer than "
                            + limit.toMillis() + " ms: " + String.join(", ", old),
                    REMEDY);
        }
    }

    /** Of all locks together: a limit for locks counts for each. */
    private void takeTurn(Connection connection, Duration limit) throws SQLException, MoverFault {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL statement_timeout = " + limit.toMillis());
            try (ResultSet row =
                    statement.executeQuery("SELECT pg_try_advisory_xact_lock(" + ScopeLock.DRAIN + ", 0)")) {
                row.next();
                if (!row.getBoolean(1)) {
                    throw MoverFault.blocked(
                            "another switch drains shard " + side.shard(),
                            "nothing: it is tried again in a few seconds");
                }
            }
        }
    }

    private void lock(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ScopeLock.IN_TRANSACTION)) {
            statement.setArray(1, FenceRows.scopes(connection, scopes));
            statement.execute();
        }
    }

    /** Whoever is in the bucket, or holds a row of it, is waited for no longer. */
    private <T> T inTime(Connection connection, SqlWork<T> work) throws SQLException, MoverFault {
        try {
            return work.on(connection);
        } catch (SQLException e) {
            if (ScopeLock.timedOut(e)) {
                throw held();
            }
            throw e;
        }
    }

    private MoverFault held() throws MoverFault {
        return MoverFault.blocked(
                ScopeHolders.stayed(
                        side, bucket(), scopes, mover.task().limits().drainTimeout()),
                REMEDY);
    }

    private Scope bucket() {
        return Scope.bucket(Scope.bucketsOf(scopes).first());
    }
}
