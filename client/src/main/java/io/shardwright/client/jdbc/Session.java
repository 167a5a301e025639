package io.shardwright.client.jdbc;

import io.shardwright.client.errors.AmbiguousWriteException;
import io.shardwright.client.errors.CrossShardTransactionException;
import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.Route;
import io.shardwright.routing.ShardKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Optional;

/**
 * The state of one logical connection: in autocommit every statement is a unit of work, else everything from the first
 * statement to commit or rollback is one. Like any JDBC connection it serves one thread at a time.
 */
final class Session {
    private static final System.Logger LOG = System.getLogger(Session.class.getName());

    private final Router router;
    private final ShardKey key;
    private final Hops sharedHops;
    private final Leases leases;
    private Hint firstHint;
    private boolean autoCommit = true;
    private Attempt transaction;

    /**
     * @param key serves when no scope is open on the thread that executes
     * @param sharedHops the budget of the callback that this connection belongs to, or null: each unit has its own
     * @param firstHint for its first attempt: what the refusal of the callback's last run said
     */
    Session(Router router, ShardKey key, Hops sharedHops, Hint firstHint) {
        this.router = router;
        this.key = key;
        this.sharedHops = sharedHops;
        this.firstHint = firstHint;
        this.leases = new Leases(router);
    }

    Leases leases() {
        return leases;
    }

    boolean autoCommit() {
        return autoCommit;
    }

    void setAutoCommit(boolean wanted) throws SQLException {
        if (wanted && !autoCommit) {
            commit();
        }
        autoCommit = wanted;
    }

    /** Executes a recorded statement, and again after refusals as far as that is allowed. */
    Unit execute(StatementCall call) throws SQLException {
        refuse(call.statementClass());
        ShardKey wanted = router.scopes().current().orElse(key);
        return autoCommit
                ? new Autocommit(router, leases, wanted).execute(call.withoutCursor())
                : new Unit(inTransaction(call, wanted), null);
    }

    private static void refuse(StatementClass kind) throws SQLFeatureNotSupportedException {
        if (kind == StatementClass.CONTROL) {
            throw new SQLFeatureNotSupportedException(
                    "transactions are controlled by setAutoCommit, commit, rollback and savepoints of the connection;"
                            + " COMMIT AND CHAIN and PREPARE TRANSACTION would leave the fence behind",
                    "0A000");
        }
        if (kind == StatementClass.SESSION_SETTING) {
            throw new SQLFeatureNotSupportedException(
                    "SET, RESET and DISCARD of a session would stay on the pooled connection for whoever gets it next, and be"
                            + " lost on another shard: use SET LOCAL in a transaction, a setter of the connection, or for all"
                            + " sessions ALTER ROLE .. SET or the pool's connection properties",
                    "0A000");
        }
    }

    /**
     * The physical connection, for calls that are no statement. In a transaction it has been entered, because the driver may
     * begin one for them.
     */
    Connection physical() throws SQLException {
        if (autoCommit) {
            return leases.idle(router.scopes().current().orElse(key));
        }
        return begunTransaction().connection();
    }

    /** The physical connection, for the application to use as it likes until the transaction ends. */
    Connection exposed() throws SQLException {
        if (autoCommit) {
            throw new SQLFeatureNotSupportedException(
                    "unwrap inside a transaction (setAutoCommit(false)): only there the route stays", "0A000");
        }
        begunTransaction().exposed();
        return transaction.connection();
    }

    private Attempt begunTransaction() throws SQLException {
        if (transaction == null) {
            ShardKey wanted = router.scopes().current().orElse(key);
            replaying(wanted, attempt -> {
                if (!leases.readOnly()) {
                    List<Entry> due = attempt.due(attempt.route().bucket(), wanted);
                    Entry.enter(attempt.connection(), due);
                    attempt.entered(due);
                }
                return attempt;
            });
        }
        return transaction;
    }

    private Execution inTransaction(StatementCall call, ShardKey wanted) throws SQLException {
        return replaying(wanted, attempt -> {
            List<Entry> due = entriesFor(attempt, call, wanted);
            Execution done = attempt.counted(wanted, () -> call.on(attempt.connection(), due));
            attempt.entered(due);
            attempt.succeeded(call);
            return done;
        });
    }

    private interface Play<T> {
        T on(Attempt attempt) throws SQLException;
    }

    private <T> T replaying(ShardKey wanted, Play<T> play) throws SQLException {
        Hops hops = sharedHops;
        Hint hint = firstHint;
        firstHint = Hint.NONE;
        List<StatementCall> preamble = List.of();
        for (; ; ) {
            boolean fresh = transaction == null;
            Attempt attempt = fresh ? leases.attempt(wanted, hint) : transaction;
            transaction = attempt;
            try {
                if (fresh) {
                    begin(attempt, preamble);
                }
                return play.on(attempt);
            } catch (SQLException e) {
                Refused refusal = refusalIn(e, attempt, attempt.routeOf(wanted, router.role()));
                preamble = List.copyOf(attempt.preamble());
                abandon();
                hops = hops == null ? new Hops(router) : hops;
                hint = hops.next(refusal, e);
            }
        }
    }

    private void begin(Attempt attempt, List<StatementCall> preamble) throws SQLException {
        attempt.connection().setAutoCommit(false);
        if (leases.readOnly() && router.contact().readsMustCheck(attempt.route())) {
            Entry.beginSnapshot(attempt.connection());
            attempt.checksReads();
        }
        for (StatementCall setting : preamble) {
            attempt.counted(attempt.key(), () -> setting.on(attempt.connection(), List.of()))
                    .statement()
                    .close();
            attempt.succeeded(setting);
        }
    }

    /** The refusal, when the attempt may be given up for another one; else throws what the application is to see. */
    private Refused refusalIn(SQLException error, Attempt attempt, Route route) throws SQLException {
        FenceRefusal refusal = Verdict.refusal(error, attempt.route().bucket()).orElse(null);
        if (refusal == null) {
            throw error;
        }
        router.counters().refused(refusal.state());
        Refused refused = new Refused(refusal, route, attempt.flight().view());
        attempt.refused(refused);
        if (attempt.isReplayable()) {
            return refused;
        }
        if (sharedHops == null) {
            router.counters().gaveUp();
        }
        throw new StaleRouteException("the transaction has given results and is not replayed", refusal, error);
    }

    private List<Entry> entriesFor(Attempt attempt, StatementCall call, ShardKey wanted) throws SQLException {
        Route route = attempt.routeOf(wanted, router.role());
        if (!route.shard().equals(attempt.route().shard())) {
            throw new CrossShardTransactionException(attempt.route().shard(), route.shard());
        }
        if (call.statementClass() == StatementClass.SETTING) {
            return List.of();
        }
        List<Entry> due = attempt.due(route.bucket(), wanted);
        if (!leases.readOnly()) {
            return due;
        }
        if (attempt.isCheckingReads()) {
            for (Entry entry : due) {
                entry.checkOwned(attempt.connection());
            }
            attempt.entered(due);
        }
        return List.of();
    }

    void commit() throws SQLException {
        Attempt attempt = transaction;
        if (attempt == null) {
            return;
        }
        if (attempt.refusal() != null) {
            rollback();
            throw new StaleRouteException(
                    "the transaction was refused and is rolled back",
                    attempt.refusal().by(),
                    null);
        }
        transaction = null;
        try {
            attempt.connection().commit();
        } catch (SQLException e) {
            if (attempt.wrote() && Verdict.isUnanswered(e)) {
                router.counters().unanswered();
                throw new AmbiguousWriteException(
                        attempt.route().shard(), attempt.flight().view().order().revision(), e);
            }
            throw e;
        } finally {
            leases.end(attempt);
        }
    }

    void rollback() throws SQLException {
        Attempt attempt = transaction;
        transaction = null;
        if (attempt != null) {
            try {
                if (!attempt.connection().isClosed()) { // else the server has rolled back
                    attempt.connection().rollback();
                }
            } catch (SQLException e) {
                leases.drop(attempt);
                throw e;
            } finally {
                leases.end(attempt);
            }
        }
    }

    /** Sets, releases or rolls back to a savepoint; the transaction is entered before its first one. */
    Object savepoint(Call call) throws SQLException {
        Attempt attempt = begunTransaction();
        Object result = call.on(attempt.connection());
        attempt.exposed(); // a replay would not have the savepoint
        if (call.method().getName().equals("rollback")) {
            attempt.forgetEntries();
            attempt.refused(null);
        }
        return result;
    }

    /** The refusal that the open transaction met, when it met one. */
    Optional<Refused> pendingRefusal() {
        return Optional.ofNullable(transaction).map(Attempt::refusal);
    }

    /** What is not committed is rolled back. Fails never: what the application was told stands. */
    void close() {
        abandon();
        leases.close();
    }

    /** Rolls back where a failure changes nothing: the server rolls back what a dead connection has left. */
    private void abandon() {
        try {
            rollback();
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "a rollback failed, the connection is given up", e);
        }
    }
}
