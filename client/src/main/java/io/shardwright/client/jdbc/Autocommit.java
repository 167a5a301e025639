package io.shardwright.client.jdbc;

import io.shardwright.client.errors.AmbiguousWriteException;
import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.ShardKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;

/**
 * One statement outside of a transaction. Nothing of it has been seen before its answer, so it is replayed as a whole. What
 * could commit in parts (batches, procedures, texts of several statements), and what may not carry its {@code enter} along, gets a transaction around it.
 */
final class Autocommit {
    private static final System.Logger LOG = System.getLogger(Autocommit.class.getName());

    private final Router router;
    private final Leases leases;
    private final ShardKey key;

    Autocommit(Router router, Leases leases, ShardKey key) {
        this.router = router;
        this.leases = leases;
        this.key = key;
    }

    Unit execute(StatementCall call) throws SQLException {
        if (call.isUpdatable()) {
            throw new SQLFeatureNotSupportedException(
                    "an updatable result set needs a transaction: its later writes would not be fenced", "0A000");
        }
        Hops hops = null;
        Hint hint = Hint.NONE;
        for (; ; ) {
            Attempt attempt = leases.attempt(key, hint);
            boolean pinned = false;
            try {
                Execution done = attempt.counted(key, () -> play(attempt, call));
                pinned = done.result() instanceof ResultSet || Boolean.TRUE.equals(done.result());
                return new Unit(done, pinned ? attempt : null);
            } catch (SQLException e) {
                FenceRefusal refusal =
                        Verdict.refusal(e, attempt.route().bucket()).orElse(null);
                if (refusal == null) {
                    throw e;
                }
                router.counters().refused(refusal.state());
                hops = hops == null ? new Hops(router) : hops;
                leases.end(attempt);
                hint = hops.next(
                        new Refused(refusal, attempt.route(), attempt.flight().view()), e);
            } finally {
                if (!pinned) {
                    leases.end(attempt);
                }
            }
        }
    }

    private Execution play(Attempt attempt, StatementCall call) throws SQLException {
        List<Entry> due = due(attempt, call);
        boolean checked =
                call.statementClass() == StatementClass.READ && router.contact().readsMustCheck(attempt.route());
        boolean around = checked
                || call.isBatch()
                || call.statementClass() == StatementClass.PROCEDURE
                || !due.isEmpty() && !isOneTransaction(attempt, call);
        if (around) {
            return inTransaction(attempt, call, due, checked);
        }
        attempt.connection().setAutoCommit(true);
        try {
            return call.on(attempt.connection(), due);
        } catch (SQLException e) {
            throw writes(call) && Verdict.isUnanswered(e) ? ambiguous(attempt, e) : e;
        }
    }

    /** Only what is proven: if {@code enter} committed alone, its lock would be gone before the statement. */
    private static boolean isOneTransaction(Attempt attempt, StatementCall call) {
        return call.statementClass() == StatementClass.CHANGE
                && call.canCarryEntries()
                && DriverMode.sendsTextAtOnce(attempt.connection());
    }

    private List<Entry> due(Attempt attempt, StatementCall call) {
        return switch (call.statementClass()) {
            case READ, SETTING -> List.of();
            case PLAIN_INSERT ->
                attempt.isReplay() ? attempt.due(attempt.route().bucket(), key) : List.of();
            default -> attempt.due(attempt.route().bucket(), key);
        };
    }

    private static boolean writes(StatementCall call) {
        return call.statementClass() != StatementClass.READ && call.statementClass() != StatementClass.SETTING;
    }

    private Execution inTransaction(Attempt attempt, StatementCall call, List<Entry> due, boolean checked)
            throws SQLException {
        Connection connection = attempt.connection();
        connection.setAutoCommit(false);
        boolean committed = false;
        try {
            if (checked) {
                Entry.beginSnapshot(connection);
                Entry.of(attempt.route().bucket(), key).checkOwned(connection);
            }
            Execution done = call.on(connection, due);
            commit(attempt, call);
            committed = true;
            return done;
        } finally {
            end(attempt, committed);
        }
    }

    private void commit(Attempt attempt, StatementCall call) throws SQLException {
        try {
            attempt.connection().commit();
        } catch (SQLException e) {
            throw writes(call) && Verdict.isUnanswered(e) ? ambiguous(attempt, e) : e;
        }
    }

    /** Whatever fails here has no say: the answer, or the error, is known already. */
    private void end(Attempt attempt, boolean committed) {
        Connection connection = attempt.connection();
        try {
            if (!connection.isClosed()) {
                if (!committed) {
                    connection.rollback();
                }
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "a transaction did not end cleanly, its connection is given up", e);
            leases.drop(attempt);
        }
    }

    private AmbiguousWriteException ambiguous(Attempt attempt, SQLException cause) {
        router.counters().unanswered();
        return new AmbiguousWriteException(
                attempt.route().shard(), attempt.flight().view().order().revision(), cause);
    }
}
