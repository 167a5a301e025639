package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ScopeLock;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/**
 * 7a: the exclusive lock of the group on the target, in a session of its own. It keeps early routers waiting instead of
 * refused, and makes room for the activation. The server gives it up by itself when the mover freezes.
 */
final class TargetLock implements AutoCloseable {
    private final Incarnation incarnation;
    private final Connection connection;
    private final PreparedStatement lock;
    private final PreparedStatement unlock;
    private final boolean standbys;
    private final Optional<String> unconfirmable;

    TargetLock(Incarnation incarnation, SortedSet<Scope> scopes) throws MoverFault {
        this.incarnation = incarnation;
        Limits limits = incarnation.task().limits();
        connection = incarnation.target().open(Duration.ofSeconds(30), limits.drainTimeout(), Duration.ZERO);
        try {
            lock = connection.prepareStatement(
                    "SELECT set_config('idle_session_timeout', ?, false); " + ScopeLock.IN_SESSION);
            unlock = connection.prepareStatement(ScopeLock.GIVE_BACK);
            standbys = !limits.acceptAsyncStandby()
                    && incarnation.target().standbys(connection).matter();
            unconfirmable = incarnation.target().unconfirmable(connection);
            bind("0", Set.of());
            lock.execute();
            unlock.execute();
            bind(Long.toString(limits.pauseMax().toMillis()), scopes);
        } catch (SQLException e) {
            incarnation.target().end(connection);
            throw incarnation.target().fault("open the session of the target lock", e);
        }
    }

    private void bind(String idleMillis, Collection<Scope> scopes) throws SQLException {
        lock.setString(1, idleMillis);
        lock.setArray(2, FenceRows.scopes(connection, scopes));
        unlock.setArray(1, FenceRows.scopes(connection, scopes));
    }

    /** The activation has to be confirmed by one; looked at just before the lock. */
    boolean standbysMatter() {
        return standbys;
    }

    /** Why no activation could be confirmed; looked at just before the lock. */
    Optional<String> unconfirmable() {
        return unconfirmable;
    }

    /** @return false when older holders did not end within the drain timeout */
    boolean take() throws MoverFault {
        try {
            lock.execute();
            return true;
        } catch (SQLException e) {
            if (ScopeLock.timedOut(e)) {
                return false;
            }
            throw incarnation.target().fault("lock the target", e);
        }
    }

    /** A session that is gone has given the lock up already. */
    void release() {
        try {
            unlock.execute();
        } catch (SQLException gone) {
            incarnation.target().end(connection);
        }
    }

    /** The lock goes with the session. */
    @Override
    public void close() {
        incarnation.target().endGently(connection);
    }
}
