package io.shardwright.client.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class PoolSetTest {
    private static final ShardTarget OLD = new ShardTarget("ds-0", "a", 1, "app");
    private static final ShardTarget NEW = new ShardTarget("ds-0", "b", 1, "app");

    private final List<String> events = new ArrayList<>();
    private final PoolSet pools = new PoolSet(this::open);

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
            assertThatThrownBy(() -> slow.reach(OLD, Duration.ofMillis(20)))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"));
        }
        answers.countDown();
        slow.reach(OLD, Duration.ofSeconds(30));
        assertThat(tries).hasValue(1);
    }
}
