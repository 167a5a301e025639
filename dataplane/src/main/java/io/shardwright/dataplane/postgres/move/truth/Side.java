package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.fence.NewerFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One end of a move as one mover sees it: a shard, its primary, and this mover's sessions there. All of them carry the
 * mover's name, so they can be found and ended; {@link #close()} cuts them, whatever they wait for.
 */
public final class Side implements AutoCloseable {
    /** A garbage collection or a busy machine is no frozen mover; what stands still for longer gives its locks up. */
    private static final Duration FROZEN = Duration.ofSeconds(10);

    private static final Duration NO_LIMIT = Duration.ZERO;

    private final PostgresSessions sessions;
    private final ShardAccess shard;
    private final String applicationName;
    private final boolean acceptAsyncStandby;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private ShardAccess.Endpoint primary;
    private Connection desk;
    private volatile boolean closed;

    Side(PostgresSessions sessions, ShardAccess shard, String applicationName, boolean acceptAsyncStandby) {
        this.sessions = sessions;
        this.shard = shard;
        this.applicationName = applicationName;
        this.acceptAsyncStandby = acceptAsyncStandby;
    }

    public String shard() {
        return shard.shard();
    }

    /** Work that changes nothing. */
    public synchronized <T> T read(String doing, SqlWork<T> work) throws MoverFault {
        return inTransaction(doing, work, Connection::rollback);
    }

    /** Work whose commit other steps rely on: synchronous, answered without a warning, and on a standby if there is one. */
    public synchronized <T> T commit(String doing, SqlWork<T> work) throws MoverFault {
        return inTransaction(doing, work, connection -> DurableCommit.commit(connection, this, doing));
    }

    /** Work that only has to be possible: nothing elsewhere relies on its commit, which waits for no standby. */
    public synchronized <T> T attempt(String doing, SqlWork<T> work) throws MoverFault {
        return inTransaction(
                doing,
                connection -> {
                    DurableCommit.renounce(connection);
                    return work.on(connection);
                },
                Connection::commit);
    }

    /** As {@link #commit}, in a session of its own whose statements may take as long as a scan of a large table. */
    public <T> T commitAtLeisure(String doing, SqlWork<T> work) throws MoverFault {
        return commitIn(open(NO_LIMIT, NO_LIMIT, FROZEN), FROZEN, doing, work);
    }

    /**
     * As {@link #commit}, in a session of its own, because others wait for it.
     *
     * @param lock longest wait for a lock
     * @param frozen what stands still for longer is undone
     */
    public <T> T commitInHaste(Duration lock, Duration frozen, String doing, SqlWork<T> work) throws MoverFault {
        return commitIn(open(Duration.ofSeconds(30), Duration.ofSeconds(30), lock), frozen, doing, work);
    }

    private <T> T commitIn(Connection connection, Duration frozen, String doing, SqlWork<T> work) throws MoverFault {
        try {
            endWhenFrozen(connection, frozen);
            connection.setAutoCommit(false);
            T result = work.on(connection);
            DurableCommit.commit(connection, this, doing);
            return result;
        } catch (SQLException e) {
            throw fault(doing, e);
        } finally {
            end(connection);
        }
    }

    /** Lets the server undo a transaction in which nothing happens for so long: its mover is frozen, or cut off. */
    public static void endWhenFrozen(Connection connection, Duration limit) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET idle_in_transaction_session_timeout = " + limit.toMillis());
        }
    }

    /** What one read shows about the servers that could take this one's place. */
    public Standbys standbys(Connection connection) throws SQLException {
        return Standbys.read(connection, replicated());
    }

    /** Several instances were declared: then a primary without a standby has one that is just not there. */
    public boolean replicated() {
        return shard.instances().size() > 1;
    }

    /** Without a standby that has it, a commit here is not durable. */
    public boolean standbyNeeded() {
        return replicated() && !acceptAsyncStandby;
    }

    /** Why no commit here could be confirmed now; empty when one could, or nobody has to. */
    public Optional<String> unconfirmable(Connection connection) throws SQLException {
        if (!standbyNeeded() || standbys(connection).count() > 0) {
            return Optional.empty();
        }
        return Optional.of("shard " + shard() + " has " + shard.instances().size()
                + " instances and no standby is connected to its primary, so no commit there can be confirmed:"
                + " connect a standby, or set asyncStandby: Accept");
    }

    /** An operator that does not know the fence of this side has no business here; it is read before anything is changed. */
    public void refuseNewerFence() throws MoverFault {
        read("look at the version of the fence", connection -> {
            refuseNewerFence(connection);
            return null;
        });
    }

    void refuseNewerFence(Connection connection) throws SQLException, MoverFault {
        Optional<String> newer = NewerFence.seen(connection);
        if (newer.isPresent()) {
            throw MoverFault.newerFence(shard(), newer.get());
        }
    }

    boolean acceptsAsyncStandby() {
        return acceptAsyncStandby;
    }

    /** Statements that must not run inside a transaction, each its own. */
    public synchronized <T> T outsideTransaction(String doing, SqlWork<T> work) throws MoverFault {
        try {
            Connection connection = desk();
            connection.setAutoCommit(true);
            return work.on(connection);
        } catch (SQLException e) {
            dropDesk();
            throw fault(doing, e);
        }
    }

    @FunctionalInterface
    private interface End {
        void of(Connection connection) throws SQLException, MoverFault;
    }

    private <T> T inTransaction(String doing, SqlWork<T> work, End end) throws MoverFault {
        boolean ended = false;
        try {
            Connection connection = desk();
            connection.setAutoCommit(false);
            T result = work.on(connection);
            end.of(connection);
            ended = true;
            return result;
        } catch (SQLException e) {
            throw fault(doing, e);
        } finally {
            if (!ended) {
                dropDesk(); // an open transaction dies with its session, also when the network is gone
            }
        }
    }

    private Connection desk() throws MoverFault, SQLException {
        if (desk == null) {
            desk = open(Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofSeconds(10));
            endWhenFrozen(desk, FROZEN);
        }
        return desk;
    }

    private void dropDesk() {
        if (desk != null) {
            end(desk);
            desk = null;
            primary = null;
        }
    }

    /** A session of its own in autocommit mode; times of zero mean none. */
    public Connection open(Duration socket, Duration statement, Duration lock) throws MoverFault {
        return tracked(() -> onPrimary(session(socket, statement, lock)));
    }

    /** A replication session, without any timeout: its reads block until the server has something to say. */
    public Connection openReplication() throws MoverFault {
        Session patient = session(NO_LIMIT, NO_LIMIT, NO_LIMIT);
        return tracked(() -> sessions.replication(shard, primary(), patient));
    }

    private Session session(Duration socket, Duration statement, Duration lock) {
        return new Session(applicationName, Duration.ofSeconds(3), socket, statement, lock);
    }

    @FunctionalInterface
    private interface Opening {
        Connection open() throws ShardException;
    }

    private Connection tracked(Opening opening) throws MoverFault {
        Connection connection;
        try {
            connection = opening.open();
        } catch (ShardException e) {
            forgetPrimary();
            throw MoverFault.of(e);
        }
        open.add(connection);
        if (closed) {
            end(connection);
            throw MoverFault.closed();
        }
        return connection;
    }

    /** The session in which the primary was found is used, so that finding it costs no login. */
    private Connection onPrimary(Session session) throws ShardException {
        ShardAccess.Endpoint known;
        synchronized (this) {
            known = primary;
            if (known == null) {
                PostgresSessions.OnPrimary found = sessions.discover(shard, PostgresSessions.As.MOVER, session);
                primary = found.instance();
                return found.session();
            }
        }
        return sessions.open(shard, PostgresSessions.As.MOVER, known, session);
    }

    private synchronized ShardAccess.Endpoint primary() throws ShardException {
        if (primary == null) {
            primary = sessions.primaryOf(shard, PostgresSessions.As.MOVER);
        }
        return primary;
    }

    private synchronized void forgetPrimary() {
        primary = null;
    }

    public MoverFault fault(String doing, SQLException e) {
        return MoverFault.of(PostgresSessions.failure(shard, doing, e));
    }

    /** Ends a session at once; a transaction that it has open is undone by the server. */
    public void end(Connection connection) {
        open.remove(connection);
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            throw new IllegalStateException("a session could not be cut", e);
        }
    }

    /** As {@link #end}, but the server is told, so it has undone everything before this returns. */
    public void endGently(Connection connection) {
        open.remove(connection);
        try {
            connection.close();
        } catch (SQLException e) {
            end(connection);
        }
    }

    /** Ends sessions by the beginning of their name, but for those of one mover. */
    static int terminate(Connection connection, String namePrefix, String spared) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))"
                        + " FROM pg_stat_activity WHERE starts_with(application_name, ?) AND application_name <> ?")) {
            statement.setString(1, namePrefix);
            statement.setString(2, spared);
            try (ResultSet ended = statement.executeQuery()) {
                ended.next();
                return ended.getInt(1);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        open.forEach(this::end);
    }
}
