package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A2 and A4: between the fence on the source and the activation on the target, by a router with the old table. */
class ImportingTargetIT extends OldTableRouter {
    private static final String UPDATE = "UPDATE orders SET v = v || '+' WHERE tenant_id = " + TENANT;

    private enum Mode {
        AUTOCOMMIT,
        TRANSACTION,
        CALLBACK
    }

    @SuppressWarnings("try")
    private void update(Mode mode) throws SQLException {
        if (mode == Mode.CALLBACK) {
            router.dataSource.transactions().run(router.router.scopes().key(TENANT), ImportingTargetIT::update);
            return;
        }
        try (ShardScope scope = router.key(TENANT);
                Connection connection = router.dataSource.getConnection()) {
            connection.setAutoCommit(mode == Mode.AUTOCOMMIT);
            update(connection);
            if (mode == Mode.TRANSACTION) {
                connection.commit();
            }
        }
    }

    private static int update(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(UPDATE);
        }
    }

    private CompletableFuture<SQLException> start(Mode mode) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                update(mode);
                return null;
            } catch (SQLException e) {
                return e;
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void workWaitsForTheActivationAndDoesNotGoBackToTheSource(Mode mode) throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().loseTargetLock();
            CompletableFuture<SQLException> work = start(mode);
            Eventually.until(
                    "more refusals than hops",
                    Duration.ofSeconds(30),
                    () -> router.counters.refusals(FenceState.IMPORTING) > 4 || work.isDone(),
                    () -> "replays " + router.counters.replays());

            bucket.activate();

            assertThat((Throwable) work.get(30, TimeUnit.SECONDS)).isNull();
        }
        assertThat(shards.values("ds-1", TENANT)).isEqualTo(List.of("seed+"));
        assertThat(router.counters.refusals(FenceState.MOVED))
                .as("asked at the source")
                .isEqualTo(1);
    }

    @Test
    void theWaitEndsAfterFiveSecondsWithAFewDozenTries() throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().loseTargetLock();
            long start = System.nanoTime();

            SQLException error = start(Mode.AUTOCOMMIT).get(30, TimeUnit.SECONDS);

            assertThat((Throwable) error).isInstanceOf(StaleRouteException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(4_900));
            assertThat(router.counters.replays()).isBetween(10L, 60L);
        }
        assertThat(shards.values("ds-1", TENANT)).isEmpty();
    }
}
