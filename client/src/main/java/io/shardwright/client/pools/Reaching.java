package io.shardwright.client.pools;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens connections to a target before work needs them: two, so that the first writers after a switch do not queue behind
 * one. Each try holds its connection until the other one has its own, but only for a moment: a pool of one, or one whose
 * connections are all at work, has nothing more to open.
 */
final class Reaching {
    private static final int CONNECTIONS = 2;
    private static final long HOLD_MILLIS = 200;

    private final PoolSet pools;
    private final Executor threads;
    private final Map<ShardTarget, Round> rounds = new ConcurrentHashMap<>();

    Reaching(PoolSet pools, Executor threads) {
        this.pools = pools;
        this.threads = threads;
    }

    /** Returns when at least one try has succeeded and the other one has ended or used up the limit. */
    void reach(ShardTarget target, Duration limit, Trial trial) throws SQLException {
        Round mine = new Round(target, trial);
        Round known = rounds.putIfAbsent(target, mine);
        if (known == null) {
            mine.start();
        }
        (known == null ? mine : known).await(limit);
    }

    private final class Round {
        private final ShardTarget target;
        private final Trial trial;
        private final CountDownLatch settled = new CountDownLatch(CONNECTIONS);
        private final AtomicInteger running = new AtomicInteger(CONNECTIONS);
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile boolean reached;
        private volatile SQLException failure;

        Round(ShardTarget target, Trial trial) {
            this.target = target;
            this.trial = trial;
        }

        void start() {
            for (int i = 0; i < CONNECTIONS; i++) {
                threads.execute(this::run);
            }
        }

        private void run() {
            try (PoolSet.Lease lease = pools.lease(target)) {
                trial.on(lease.connection());
                reached = true;
                settled.countDown();
                settled.await(HOLD_MILLIS, TimeUnit.MILLISECONDS);
            } catch (SQLException e) {
                failure = e;
            } catch (RuntimeException e) {
                failure = new SQLException("no pool for shard " + target + ": " + e.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the connection was reached; it is given back now
            } finally {
                settled.countDown(); // a second time does no harm: the other try holds for a shorter moment
                if (running.decrementAndGet() == 0) {
                    rounds.remove(target, this); // first, so that whoever is told of a failure can begin a new round
                    ended.countDown();
                }
            }
        }

        void await(Duration limit) throws SQLException {
            boolean inTime;
            try {
                inTime = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SQLTransientConnectionException("interrupted while connecting", "08001", e);
            }
            if (!reached) {
                throw inTime
                        ? failure
                        : new SQLTransientConnectionException(
                                "no connection within " + limit.toSeconds() + " s", "08001");
            }
        }
    }
}
