package io.shardwright.client.pools;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * The pools of this router, one per shard and endpoint, opened when first asked for. A pool whose target is no longer in
 * the table gets no new work and is closed when its last connection comes back.
 */
public final class PoolSet implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PoolSet.class.getName());

    private final Pools factory;
    private final Map<ShardTarget, Pool> pools = new ConcurrentHashMap<>();

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

    /** Opens one connection and gives it back; a caller who waits for it knows that the target answers. */
    public void reach(ShardTarget target, int timeoutSeconds) throws SQLException {
        try (Lease lease = lease(target)) {
            if (!lease.connection().isValid(timeoutSeconds)) {
                throw new SQLException(target + " does not answer", "08006");
            }
        }
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
