package io.shardwright.client.pools;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The pools of this router, one per shard and endpoint, opened when first asked for. A pool whose target is no longer in
 * the table gets no new work and is closed when its last connection comes back.
 */
public final class PoolSet implements AutoCloseable {
    private final Pools factory;
    private final Map<ShardTarget, Pool> pools = new ConcurrentHashMap<>();
    private final Executor threads;
    private final Reaching reaching;
    private volatile boolean closed;

    public PoolSet(Pools factory) {
        this(factory, PoolSet::onOwnThread);
    }

    /** @param threads for what takes its time: reaching a target, closing a retired pool */
    PoolSet(Pools factory, Executor threads) {
        this.factory = factory;
        this.threads = threads;
        this.reaching = new Reaching(this, threads);
    }

    /**
     * A connection to the target, counted until {@link Lease#close()}.
     *
     * @throws java.sql.SQLTransientConnectionException SQLSTATE 08001, when the pool has none in its time
     * @throws SQLNonTransientConnectionException SQLSTATE 08003, when this set is closed
     */
    public Lease lease(ShardTarget target) throws SQLException {
        for (; ; ) {
            requireOpen(target);
            Pool pool = pools.computeIfAbsent(target, wanted -> new Pool(wanted, factory.open(wanted), threads));
            if (closed && pools.remove(target, pool)) {
                pool.closeNow(); // opened after close() had looked: nobody else would close it
            }
            requireOpen(target);
            if (pool.enter()) {
                return new Lease(target, pool.take(), pool);
            }
            pools.remove(target, pool); // it was retired between the two lines
        }
    }

    private void requireOpen(ShardTarget target) throws SQLNonTransientConnectionException {
        if (closed) {
            throw new SQLNonTransientConnectionException(
                    "no connection to shard " + target + ": this router is closed; end its work before closing it",
                    "08003");
        }
    }

    /**
     * Opens connections, tries each of them and gives them back; a caller who waits for it knows that the target serves. A
     * target that was not reached in time is still being tried when it is asked for again.
     */
    public void reach(ShardTarget target, Duration limit, Trial trial) throws SQLException {
        reaching.reach(target, limit, trial);
    }

    private static void onOwnThread(Runnable task) {
        Thread thread = new Thread(task, "shardwright-pools");
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

    /** Closes all pools, in use or not; none is opened afterwards. */
    @Override
    public void close() {
        closed = true;
        for (Map.Entry<ShardTarget, Pool> known : pools.entrySet()) {
            if (pools.remove(known.getKey(), known.getValue())) {
                known.getValue().closeNow();
            }
        }
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
}
