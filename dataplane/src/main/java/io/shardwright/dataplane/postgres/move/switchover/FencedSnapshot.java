package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.DurableCommit;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ScopeHolders;
import io.shardwright.dataplane.postgres.move.truth.ScopeLock;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.postgresql.replication.LogSequenceNumber;

/**
 * All rows of buckets that this move has fenced, in one snapshot of a source that may be unable to write. The fence rows are read in
 * the very snapshot: where they say MOVED by this move, every write that the fence has waited for is seen, too, and none can follow.
 * It is taken behind the buckets' exclusive lock, so no transaction is left inside, prepared ones included; the lock is
 * given back at once, because who asks the source has to be refused, not to wait for a copy.
 */
public final class FencedSnapshot implements AutoCloseable {
    private final Incarnation incarnation;
    private final GroupEpochs group;
    private final Connection connection;
    private final LogSequenceNumber behind;

    private FencedSnapshot(
            Incarnation incarnation, GroupEpochs group, Connection connection, LogSequenceNumber behind) {
        this.incarnation = incarnation;
        this.group = group;
        this.connection = connection;
        this.behind = behind;
    }

    /**
     * @param epochs of the buckets before their fence
     * @throws MoverFault when somebody is inside, or the fence is not there (any more), or no standby could have it that should
     */
    public static FencedSnapshot take(Incarnation incarnation, SortedMap<Scope, Long> epochs) throws MoverFault {
        Side source = incarnation.source();
        GroupEpochs group = new GroupEpochs(epochs);
        Connection connection = source.open(
                Duration.ZERO, Duration.ZERO, incarnation.task().limits().drainTimeout());
        boolean taken = false;
        try {
            lock(incarnation, group.scopes(), connection);
            connection.setAutoCommit(false);
            LogSequenceNumber behind = look(incarnation, group, connection);
            taken = true;
            return new FencedSnapshot(incarnation, group, connection, behind);
        } catch (SQLException e) {
            throw source.fault("read behind the fence", e);
        } finally {
            if (!taken) {
                source.end(connection);
            }
        }
    }

    private static void lock(Incarnation incarnation, SortedSet<Scope> scopes, Connection connection)
            throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(ScopeLock.IN_SESSION)) {
            statement.setArray(1, FenceRows.scopes(connection, scopes));
            statement.execute();
        } catch (SQLException e) {
            if (ScopeLock.timedOut(e)) {
                throw held(incarnation, scopes);
            }
            throw e;
        }
    }

    private static MoverFault held(Incarnation incarnation, SortedSet<Scope> scopes) throws MoverFault {
        List<String> holders = incarnation
                .source()
                .read("look who holds the buckets", connection -> ScopeHolders.describe(connection, scopes));
        return MoverFault.blocked(
                "shard " + incarnation.source().shard() + ": somebody is inside " + Scope.words(scopes)
                        + " although they are fenced: " + (holders.isEmpty() ? "a prepared transaction" : holders),
                "end these transactions (prepared ones are in pg_prepared_xacts), or wait for their end; it is tried again");
    }

    /** The first look is what makes the snapshot. @return a position of the log that is behind the fence */
    private static LogSequenceNumber look(Incarnation incarnation, GroupEpochs group, Connection connection)
            throws SQLException, MoverFault {
        try (Statement statement = connection.createStatement();
                PreparedStatement unlock = connection.prepareStatement(ScopeLock.GIVE_BACK)) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            requireFenced(incarnation, group, connection);
            unlock.setArray(1, group.names(connection));
            unlock.execute();
            Optional<String> alone = incarnation.source().unconfirmable(connection);
            if (alone.isPresent()) {
                throw MoverFault.blocked(
                        alone.get(),
                        "connect a standby that has the fence, or set asyncStandby: Accept; it is tried again");
            }
            try (ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text")) {
                row.next();
                return LogSequenceNumber.valueOf(row.getString(1));
            }
        }
    }

    private static void requireFenced(Incarnation incarnation, GroupEpochs group, Connection connection)
            throws SQLException, MoverFault {
        SortedMap<Scope, FenceRow> seen = FenceRows.read(connection, group.scopes());
        SortedSet<Scope> open = new TreeSet<>();
        group.after().forEach((scope, epoch) -> {
            FenceRow row = seen.get(scope);
            boolean ours = row != null && incarnation.moveId().equals(row.moveId());
            if (!ours || row.state() != FenceState.MOVED || row.epoch() != epoch) {
                open.add(scope);
            }
        });
        if (!open.isEmpty()) {
            throw MoverFault.blocked(
                    "shard " + incarnation.source().shard() + ": the fence of " + Scope.words(open)
                            + " is not there any more: they were taken back, or a failover has lost it",
                    "nothing: the fence rows of both shards are read again, and what they say is done");
        }
    }

    /** The session with the snapshot. */
    public Connection connection() {
        return connection;
    }

    GroupEpochs group() {
        return group;
    }

    /**
     * Last before the activation, on whoever is the primary by now: the fence is there still, and a failover would keep it. It cannot be
     * written once more to be sure, as it is elsewhere; that the standby has all of the log up to the snapshot says the same.
     */
    void confirm() throws MoverFault {
        Side source = incarnation.source();
        source.read("look at the fence once more", session -> {
            requireFenced(incarnation, group, session);
            if (!incarnation.task().limits().acceptAsyncStandby()) {
                DurableCommit.require(source.standbys(session), behind, source.shard(), "fence " + group.scopes());
            }
            return null;
        });
    }

    @Override
    public void close() {
        incarnation.source().endGently(connection);
    }
}
