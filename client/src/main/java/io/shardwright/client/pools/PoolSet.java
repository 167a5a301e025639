package io.shardwright.client.pools;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/**
 * The pools of this router, one per shard and endpoint, opened when first asked for. A pool whose target is no longer in
 * the table gets no new work and is closed when its last connection comes back.
 */
public final class PoolSet implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PoolSet.class.getName());

    private final Pools factory;
    private final Map<ShardTarget, Pool> pools = new ConcurrentHashMap<>();
    private final Map<ShardTarget, CompletableFuture<Void>> reaching = new ConcurrentHashMap<>();

    public PoolSet(Pools factory) {
        this.factory = factory;
    }

    /** A connection to the target, counted until {@link Lease#close()}. */
    public Lease lease(ShardTarget target) throws SQLException {
        for (; ; ) {
            Pool pool = pools.computeIfAbsent(target, wanted -> new Pool(factory.open(wanted)));
            if (pool.enter()) {
                return new Lease(target, pool.take(), pool);
            }
            pools.remove(target, pool); // it was retired between the two lines
        }
    }

    /**
     * Opens one connection and gives it back; a caller who waits for it knows that the target answers. A target that was not
     * reached in time is still being tried when it is asked for again.
     */
    public void reach(ShardTarget target, Duration limit) throws SQLException {
        CompletableFuture<Void> attempt = reaching.computeIfAbsent(
                target,
                wanted -> CompletableFuture.runAsync(
                        () -> {
                            try (Lease lease = lease(wanted)) {
                                lease.connection().isValid((int) limit.toSeconds());
                            } catch (SQLException e) {
                                throw new CompletionException(e);
                            } finally {
                                reaching.remove(wanted);
                            }
                        },
                        PoolSet::onOwnThread));
        try {
            attempt.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new SQLTransientConnectionException("no connection within " + limit.toSeconds() + " s", "08001", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SQLException refused ? refused : new SQLException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while connecting", "08001", e);
        }
    }

    private static void onOwnThread(Runnable task) {
        Thread thread = new Thread(task, "shardwright-reach");
        thread.setDaemon(true);
        thread.start();
    }

    /** Lets go of every pool whose target is not among these. */
    public void retain(Collection<ShardTarget> targets) {
        Iterator<Map.Entry<ShardTarget, Pool>> known = pools.entrySet().iterator();
        while (known.hasNext()) {
            Map.Entry<ShardTarget, Pool> entry = known.next();
            if (!targets.contains(entry.getKey())) {
                known.remove();
                entry.getValue().retire();
            }
        }
    }

    @Override
    public void close() {
        pools.values().forEach(Pool::closeNow);
        pools.clear();
    }

    /** A physical connection in use. */
    public static final class Lease implements AutoCloseable {
        private final ShardTarget target;
        private final Connection connection;
        private final Pool pool;

        private Lease(ShardTarget target, Connection connection, Pool pool) {
            this.target = target;
            this.connection = connection;
            this.pool = pool;
        }

        public ShardTarget target() {
            return target;
        }

        public Connection connection() {
            return connection;
        }

        @Override
        public void close() throws SQLException {
            try {
                connection.close();
            } finally {
                pool.back();
            }
        }
    }

    private static final class Pool {
        private final DataSource source;
        private int inUse;
        private boolean retired;

        Pool(DataSource source) {
            this.source = source;
        }

        /** False when the pool is closed. */
        synchronized boolean enter() {
            boolean open = !retired || inUse > 0;
            inUse += open ? 1 : 0;
            return open;
        }

        Connection take() throws SQLException {
            boolean taken = false;
            try {
                Connection connection = source.getConnection();
                taken = true;
                return connection;
            } finally {
                if (!taken) {
                    back();
                }
            }
        }

        synchronized void back() {
            inUse--;
            closeWhenDone();
        }

        synchronized void retire() {
            retired = true;
            closeWhenDone();
        }

        private void closeWhenDone() {
            if (retired && inUse == 0) {
                closeNow();
            }
        }

        void closeNow() {
            if (source instanceof AutoCloseable closeable) {
                try {
                    closeable.close();
                } catch (Exception e) {
                    LOG.log(System.Logger.Level.WARNING, "a pool did not close", e);
                }
            }
        }
    }
}
