package io.shardwright.client.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class PoolSetTest {
    private static final ShardTarget OLD = new ShardTarget("ds-0", "a", 1, "app");
    private static final ShardTarget NEW = new ShardTarget("ds-0", "b", 1, "app");

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final PoolSet pools = new PoolSet(this::open, Runnable::run);

    private interface Source extends DataSource, AutoCloseable {}

    private DataSource open(ShardTarget target) {
        events.add("open " + target.host());
        return proxy(Source.class, (method, result) -> {
            if (method.equals("close")) {
                events.add("close " + target.host());
                return null;
            }
            return proxy(Connection.class, (call, none) -> call.equals("isValid") ? true : null);
        });
    }

    private interface Answer {
        Object to(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> answer.to(method.getName(), arguments)));
    }

    @Test
    void aPoolWhoseShardHasMovedToAnotherHostIsClosedAfterItsLastConnection() throws SQLException {
        PoolSet.Lease first = pools.lease(OLD);
        PoolSet.Lease second = pools.lease(OLD);

        pools.retain(Set.of(NEW));
        first.close();

        assertThat(events).as("one is still in use").containsExactly("open a");
        pools.lease(NEW).close();
        second.close();
        assertThat(events).containsExactly("open a", "open b", "close a");
    }

    @Test
    void anIdlePoolOfARemovedShardIsClosedAtOnceAndOpenedAgainWhenItIsBack() throws SQLException {
        pools.lease(OLD).close();
        pools.retain(Set.of());
        pools.lease(OLD).close();
        assertThat(events).containsExactly("open a", "close a", "open a");
    }

    @Test
    void whoGivesTheLastConnectionBackDoesNotWaitForThePoolToClose() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch hangs = new CountDownLatch(1);
        PoolSet slow = new PoolSet(target -> proxy(Source.class, (method, arguments) -> {
            if (method.equals("close")) {
                closing.countDown();
                return awaited(hangs);
            }
            return proxy(Connection.class, (call, none) -> null);
        }));
        PoolSet.Lease lease = slow.lease(OLD);
        slow.retain(Set.of());
        try {
            CompletableFuture<Void> givenBack = CompletableFuture.runAsync(() -> {
                try {
                    lease.close();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });

            assertThat(closing.await(30, TimeUnit.SECONDS)).isTrue();
            givenBack.get(30, TimeUnit.SECONDS);
        } finally {
            hangs.countDown();
        }
    }

    private static Object awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    @Test
    void aClosedSetOpensNoPoolAgain() throws SQLException {
        pools.lease(OLD).close();
        pools.close();
        assertThatThrownBy(() -> pools.lease(OLD))
                .isInstanceOf(SQLNonTransientConnectionException.class)
                .hasMessageContaining("this router is closed");
        assertThat(events).containsExactly("open a", "close a");
    }

    @Test
    void aPoolThatIsBeingOpenedWhileTheSetClosesIsClosedToo() {
        List<PoolSet> closing = new ArrayList<>();
        PoolSet raced = new PoolSet(
                target -> {
                    closing.get(0).close();
                    return open(target);
                },
                Runnable::run);
        closing.add(raced);
        assertThatThrownBy(() -> raced.lease(OLD)).isInstanceOf(SQLNonTransientConnectionException.class);
        assertThat(events).containsExactly("open a", "close a");
    }

    @Test
    void aTimeoutOfAPoolNamesTheShardAndWhatToDo() throws SQLException {
        AtomicReference<SQLTransientConnectionException> timeout = new AtomicReference<>();
        PoolSet full = new PoolSet(target -> throwing(DataSource.class, timeout));
        PoolSet.Lease held = full.lease(OLD);
        timeout.set(new SQLTransientConnectionException("Connection is not available"));
        assertThatThrownBy(() -> full.lease(OLD)).isInstanceOfSatisfying(SQLTransientConnectionException.class, e -> {
            assertThat(e.getSQLState()).isEqualTo("08001");
            assertThat(e.getCause()).isSameAs(timeout.get());
            assertThat(e.getMessage())
                    .startsWith("no connection to shard ds-0 at a:1 within 0.0 s: all 1 were in use; enlarge");
        });
        timeout.set(new SQLTransientConnectionException("x", new SQLException("connection refused", "08001")));
        assertThatThrownBy(() -> full.lease(OLD)).hasMessageContaining("could not be connected to");
        timeout.set(new SQLTransientConnectionException("Connection is not available"));
        held.close();
        assertThatThrownBy(() -> full.lease(OLD)).as("nobody uses one").hasMessageContaining("could not be");
    }

    private static <T> T throwing(Class<T> type, AtomicReference<SQLTransientConnectionException> error) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            if (error.get() != null) {
                throw error.get();
            }
            return proxy(Connection.class, (call, none) -> null);
        }));
    }

    @Test
    void aTargetIsReachedByTwoConnectionsAtATime() throws SQLException {
        AtomicInteger out = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        PoolSet counting = new PoolSet(target -> proxy(DataSource.class, (method, arguments) -> {
            most.accumulateAndGet(out.incrementAndGet(), Math::max);
            return proxy(Connection.class, (call, none) -> {
                out.addAndGet(call.equals("close") ? -1 : 0);
                return null;
            });
        }));
        counting.reach(OLD, Duration.ofSeconds(30), connection -> {});
        assertThat(most).hasValue(2);
        assertThat(out).as("given back").hasValue(0);
    }

    @Test
    void aPoolOfOneIsReachedWithItsOneConnection() throws SQLException {
        Semaphore one = new Semaphore(1);
        PoolSet tiny = new PoolSet(target -> proxy(DataSource.class, (method, arguments) -> {
            one.acquireUninterruptibly();
            return proxy(Connection.class, (call, none) -> {
                if (call.equals("close")) {
                    one.release();
                }
                return null;
            });
        }));
        tiny.reach(OLD, Duration.ofSeconds(30), connection -> {});
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    void oneConnectionIsEnoughWhenTheOtherIsNotToBeHadInTime() throws SQLException {
        Semaphore onlyOne = new Semaphore(1);
        PoolSet busy = new PoolSet(target -> proxy(DataSource.class, (method, arguments) -> {
            onlyOne.acquireUninterruptibly(); // and never released: the pool's other connections are at work
            return proxy(Connection.class, (call, none) -> null);
        }));
        busy.reach(OLD, Duration.ofMillis(500), connection -> {});
        assertThat(onlyOne.hasQueuedThreads()).isTrue();
        onlyOne.release();
    }

    @Test
    void aTargetThatFailsItsTrialIsNotReached() {
        assertThatThrownBy(() -> new PoolSet(this::open).reach(OLD, Duration.ofSeconds(30), connection -> {
                    throw new SQLException("may not enter", "42501");
                }))
                .hasMessage("may not enter");
    }

    @Test
    void aTargetThatDoesNotAnswerIsReportedInTimeAndTriedByOneThreadOnly() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        AtomicInteger tries = new AtomicInteger();
        PoolSet slow = new PoolSet(target -> {
            tries.incrementAndGet();
            try {
                answers.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return open(target);
        });
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> slow.reach(OLD, Duration.ofMillis(20), connection -> {}))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"));
        }
        answers.countDown();
        slow.reach(OLD, Duration.ofSeconds(30), connection -> {});
        assertThat(tries).hasValue(1);
    }
}
