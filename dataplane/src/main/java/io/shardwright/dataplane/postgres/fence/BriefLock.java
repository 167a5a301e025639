package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.ShardException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;

/**
 * Transactions that need a lock which live writers hold. Whoever writes queues behind the wait, so each wait is short and is
 * given up and tried again, with pauses that grow, instead of being sat out; who was in the way is named in the end.
 */
final class BriefLock {
    static final Duration PATIENCE = Duration.ofSeconds(15);

    /** The statement timeout bounds the sum of the waits where one statement locks many partitions. */
    private static final String BRIEFLY = "SET LOCAL lock_timeout = '100ms'; SET LOCAL statement_timeout = '150ms'";

    private static final String WORKING = "SET LOCAL statement_timeout = '5s'";

    /** Lock not available, cancelled by a timeout, deadlock. */
    private static final Set<String> BUSY = Set.of("55P03", "57014", "40P01");

    private static final double LONGEST_PAUSE_SECONDS = 2;

    private final Connection operator;
    private final Duration patience;

    BriefLock(Connection operator, Duration patience) {
        this.operator = operator;
        this.patience = patience;
    }

    /**
     * What is locked.
     *
     * @param sql the statement that waits
     */
    record Wanted(String schema, String table, String sql) {}

    interface Work {
        void run() throws SQLException;
    }

    /**
     * One transaction: the lock, the work, the commit.
     *
     * @throws ShardException not lasting, when the lock was not granted in time: who holds it, and for how long
     */
    void run(Wanted wanted, Work work) throws SQLException, ShardException {
        long begun = System.nanoTime();
        for (int attempt = 0; !attempt(wanted, work); attempt++) {
            if (System.nanoTime() - begun > patience.toNanos()) {
                throw new ShardException(
                        "table " + wanted.schema() + "." + wanted.table() + " could not be locked for a moment: "
                                + holder(wanted)
                                + "; no write is refused meanwhile and it is tried again; end what holds it, or wait",
                        false,
                        null);
            }
            pause(attempt);
        }
    }

    private boolean attempt(Wanted wanted, Work work) throws SQLException {
        try {
            execute(BRIEFLY);
            execute(wanted.sql());
            execute(WORKING);
            work.run();
            operator.commit();
            return true;
        } catch (SQLException e) {
            operator.rollback();
            if (!BUSY.contains(e.getSQLState())) {
                throw e;
            }
            return false;
        }
    }

    /** Between once and twice 0.1, 0.2, 0.4 .. 2 s, so that two installers do not meet again and again. */
    private void pause(int attempt) throws SQLException {
        double seconds = Math.min(LONGEST_PAUSE_SECONDS, 0.1 * Math.pow(2, attempt));
        execute("SELECT pg_sleep(%s * (1 + random()))".formatted(seconds));
        operator.commit();
    }

    /** The transaction that holds a lock on the table or a partition for the longest time; readers are never in the way. */
    private String holder(Wanted wanted) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement("""
                SELECT CASE WHEN l.pid IS NULL THEN 'a prepared transaction holds it, see pg_prepared_xacts'
                  ELSE format('session %s of %s (%s) has a transaction open for %s s', l.pid, coalesce(a.usename, a.backend_type),
                    a.application_name, round(extract(epoch FROM clock_timestamp() - a.xact_start))) END
                FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
                WHERE l.locktype = 'relation' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                  AND l.mode <> 'AccessShareLock' AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
                  AND l.relation IN (
                    SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = ? AND c.relname = ?
                    UNION ALL
                    SELECT tree.relid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
                      LATERAL pg_partition_tree(c.oid) tree WHERE n.nspname = ? AND c.relname = ? AND c.relkind = 'p')
                ORDER BY a.xact_start NULLS FIRST LIMIT 1""")) {
            for (int i = 1; i <= 4; i += 2) {
                statement.setString(i, wanted.schema());
                statement.setString(i + 1, wanted.table());
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : "transactions that write it follow each other without a gap";
            }
        } finally {
            operator.rollback();
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.execute(sql);
        }
    }
}
