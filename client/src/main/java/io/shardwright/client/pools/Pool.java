package io.shardwright.client.pools;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** The pool of one target, and who still uses it. A retired one is closed when its last connection has come back. */
final class Pool {
    private static final System.Logger LOG = System.getLogger(Pool.class.getName());

    private final ShardTarget target;
    private final DataSource source;
    private final Executor closer;
    private int entered;
    private int taken;
    private boolean retired;

    /** @param closer closes it when it has been retired; closing may wait for the network, and callers do not */
    Pool(ShardTarget target, DataSource source, Executor closer) {
        this.target = target;
        this.source = source;
        this.closer = closer;
    }

    /** False when the pool is closed. */
    synchronized boolean enter() {
        boolean open = !retired || entered > 0;
        entered += open ? 1 : 0;
        return open;
    }

    /** A connection for one who has entered; who gets none has left again. */
    Connection take() throws SQLException {
        long start = System.nanoTime();
        Connection connection = null;
        try {
            connection = source.getConnection();
            return connection;
        } catch (SQLTransientConnectionException e) {
            throw timedOut(System.nanoTime() - start, e);
        } finally {
            if (connection == null) {
                left(0);
            } else {
                counted();
            }
        }
    }

    /** A connection has been given back. */
    void back() {
        left(1);
    }

    private synchronized void counted() {
        taken++;
    }

    private synchronized void left(int given) {
        entered--;
        taken -= given;
        closeWhenDone();
    }

    synchronized void retire() {
        retired = true;
        closeWhenDone();
    }

    private void closeWhenDone() {
        if (retired && entered == 0) {
            closer.execute(this::closeNow);
        }
    }

    void closeNow() {
        if (source instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                LOG.log(System.Logger.Level.WARNING, "the pool of " + target + " did not close", e);
            }
        }
    }

    /** Pools say it without an SQLSTATE, and not which shard it was. A cause is what the last try to connect met. */
    private synchronized SQLTransientConnectionException timedOut(long nanos, SQLTransientConnectionException e) {
        String why = e.getCause() == null && taken > 0
                ? "all " + taken + " were in use; enlarge its pool, or look who holds them"
                : "it could not be connected to; look whether the database is up and takes this router's login";
        double seconds = nanos / (double) TimeUnit.SECONDS.toNanos(1);
        return new SQLTransientConnectionException(
                String.format(Locale.ROOT, "no connection to shard %s within %.1f s: %s", target, seconds, why),
                "08001",
                e);
    }
}
