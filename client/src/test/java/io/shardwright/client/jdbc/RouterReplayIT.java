package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.TwoShards;
import io.shardwright.client.errors.CrossShardTransactionException;
import io.shardwright.client.errors.MissingShardKeyException;
import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.ShardLoad;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** CT28: every way to write, against the shipped fence, after a switch and in the middle of one. */
class RouterReplayIT extends OldTableRouter {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @ParameterizedTest
    @MethodSource("io.shardwright.client.jdbc.WriteMode#all")
    void writesOnceOnTheNewOwnerAfterASwitchThatTheRouterHasNotHeardOf(WriteMode mode) throws SQLException {
        List<String> before = shards.values("ds-0", TENANT);
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();

            mode.work().run(router);

            assertThat(shards.values("ds-1", TENANT)).isEqualTo(mode.after());
            assertThat(shards.values("ds-0", TENANT)).as("the old owner").isEqualTo(before);
            assertThat(router.counters.refusals(FenceState.MOVED)).isEqualTo(1);
            assertThat(router.counters.replays()).isEqualTo(1);
        }
    }

    @Test
    void everyAttemptIsARequestOfTheShardThatItReached() throws SQLException {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();

            Work.statement("DELETE FROM orders WHERE tenant_id = $T").run(router);
            router.dataSource
                    .transactions()
                    .run(
                            router.router.scopes().key(TENANT),
                            connection -> connection
                                    .createStatement()
                                    .executeUpdate("UPDATE orders SET v = 'x' WHERE tenant_id = " + TENANT));
            Work.transaction(connection -> {
                        connection.createStatement().execute("SET LOCAL statement_timeout = '1min'");
                        connection.createStatement().execute("DELETE FROM orders WHERE tenant_id = " + TENANT);
                    })
                    .run(router);
        }

        router.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        KeyLoad each = new KeyLoad(Long.toString(TENANT), 4, 4);
        assertThat(router.load.newest().shards())
                .extracting(ShardLoad::shard, ShardLoad::requests, ShardLoad::hottest)
                .containsExactly(tuple("ds-0", 4L, List.of(each)), tuple("ds-1", 4L, List.of(each)));
    }

    @ParameterizedTest
    @MethodSource("io.shardwright.client.jdbc.WriteMode#all")
    void waitsThroughASwitchThatIsUnderWay(WriteMode mode) throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain();
            CompletableFuture<Void> work = mode.work().start(router);
            awaitBlockedRouter(work);

            bucket.fence().activate();

            work.get(30, TimeUnit.SECONDS);
            assertThat(shards.values("ds-1", TENANT)).isEqualTo(mode.after());
            // A snapshot of repeatable read may be older than the wait, on the source and on the target: one replay
            // each.
            assertThat(router.counters.replays()).isBetween(1L, 3L);
            assertThat(router.counters.stale()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("io.shardwright.client.jdbc.WriteMode#transactions")
    void staysWhereItIsWhenTheMoverGivesUp(WriteMode mode) throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain();
            CompletableFuture<Void> work = mode.work().start(router);
            awaitBlockedRouter(work);

            bucket.giveUp();

            work.get(30, TimeUnit.SECONDS);
            assertThat(shards.values("ds-0", TENANT)).isEqualTo(mode.after());
            assertThat(shards.values("ds-1", TENANT)).isEmpty();
        }
    }

    private void awaitBlockedRouter(CompletableFuture<Void> work) {
        String blocked =
                "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory'"
                        + " AND NOT l.granted AND a.application_name = '" + TestRouter.INSTANCE + "'";
        Eventually.until(
                "a session of the router waits for the bucket",
                LIMIT,
                () -> shards.server().query("ds-0", blocked).get(0).get(0).equals("1") || work.isDone(),
                () -> "replays " + router.counters.replays());
        assertThat(work).as("the work waits").isNotDone();
    }

    @Test
    void throwsStaleRouteWithTheDatabasesStateWhenTheApplicationHasSeenResults() throws SQLException {
        long other = TwoShards.tenant(BUCKET + 1, 0);
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET + 1)) {
            bucket.drain().fence().activate();
            try (ShardScope scope = router.key(TENANT);
                    Connection connection = router.dataSource.getConnection()) {
                connection.setAutoCommit(false);
                Work.readThenWrite(connection);
                try (ShardScope inner = router.key(other)) {
                    assertThat(inner.key()).isNotEqualTo(scope.key());
                    assertThatThrownBy(() ->
                                    connection.createStatement().execute("DELETE FROM orders WHERE tenant_id = 0"))
                            .isInstanceOfSatisfying(StaleRouteException.class, stale -> {
                                assertThat(stale.getSQLState()).isEqualTo("SH409");
                                assertThat(stale.refusal().owner()).isEqualTo("ds-1");
                            });
                }
                assertThatThrownBy(connection::commit).isInstanceOf(StaleRouteException.class);
            }
        }
        assertThat(shards.values("ds-0", TENANT)).as("rolled back").containsExactly("seed");
    }

    @Test
    void refusesASecondKeyThatBelongsToAnotherShard() throws SQLException {
        long other = TwoShards.tenant(BUCKET + 1, 0);
        router.knows(shards.table(2, Map.of(BUCKET + 1, "ds-1")));
        try (ShardScope scope = router.key(TENANT);
                Connection connection = router.dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Work.readThenWrite(connection);
            try (ShardScope inner = router.key(other);
                    Statement statement = connection.createStatement()) {
                assertThat(inner.key()).isNotEqualTo(scope.key());
                assertThatThrownBy(() -> statement.execute("SELECT 1"))
                        .isInstanceOf(CrossShardTransactionException.class);
            }
            connection.rollback();
        }
    }

    @Test
    void aCallbackThatMeetsARefusalLateRunsAgainFromItsStart() throws SQLException {
        long sameShard = TwoShards.tenant(BUCKET + 1, 0);
        List<String> runs = new ArrayList<>();
        // The second tenant's bucket is drained while the first run is under way; the mover then gives up.
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET + 1)) {
            router.dataSource.transactions().run(router.router.scopes().key(TENANT), connection -> {
                runs.add("run");
                Work.readThenWrite(connection);
                if (runs.size() == 1) {
                    bucket.drain();
                }
                try (ShardScope inner = router.key(sameShard);
                        Statement statement = connection.createStatement()) {
                    assertThat(inner.key().text()).isEqualTo(Long.toString(sameShard));
                    statement.execute("INSERT INTO orders VALUES (" + sameShard + ", 1, 'x')");
                } catch (SQLException e) {
                    bucket.giveUp();
                    throw e;
                }
                return null;
            });
        }
        assertThat(runs).hasSize(2);
        assertThat(shards.values("ds-0", TENANT))
                .as("the first run left nothing")
                .containsExactly("seed+1");
        assertThat(shards.values("ds-0", sameShard)).containsExactly("x");
    }

    @Test
    void givesUpAfterThreeHops() {
        shards.sql(
                "ds-0",
                "UPDATE shardwright.fence SET state = 'MOVED', epoch = 2, owner = 'ds-1' WHERE bucket = " + BUCKET);
        shards.sql(
                "ds-1",
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner) VALUES ('b:%1$d', %1$d, 'MOVED', 3, 'ds-0')"
                        .formatted(BUCKET));
        router.refreshing = () -> List.of("ds-0", "ds-1")
                .forEach(shard ->
                        shards.sql(shard, "UPDATE shardwright.fence SET epoch = epoch + 2 WHERE bucket = " + BUCKET));

        assertThatThrownBy(() ->
                        Work.statement("INSERT INTO orders VALUES ($T, 1, 'x')").run(router))
                .isInstanceOf(StaleRouteException.class);

        assertThat(router.counters.replays()).isEqualTo(3);
        assertThat(router.counters.refusals(FenceState.MOVED)).isEqualTo(4);
        assertThat(router.counters.stale()).isEqualTo(1);
    }

    @Test
    void anEarlyRouterWaitsForATableWhenTheShardNeverOwnedTheBucket() throws Exception {
        router.knows(shards.table(2, Map.of(BUCKET, "ds-1")));
        CompletableFuture<Void> work = Work.prepared("INSERT INTO orders (id, v, tenant_id) VALUES (1, ?, ?)", "new")
                .start(router);
        Eventually.until(
                "the first refusal",
                LIMIT,
                () -> router.counters.refusals(FenceState.ABSENT) > 0,
                () -> "replays " + router.counters.replays());

        router.knows(shards.table(3, Map.of()));

        work.get(30, TimeUnit.SECONDS);
        assertThat(shards.values("ds-0", TENANT)).containsExactly("new", "seed");
    }

    @Test
    void workWithoutAScopeIsRefusedBeforeAnyConnection() {
        assertThatThrownBy(router.dataSource::getConnection).isInstanceOf(MissingShardKeyException.class);
        assertThatThrownBy(() -> router.router.scopes().key(" ")).isInstanceOf(MissingShardKeyException.class);
        assertThatThrownBy(() -> router.router.scopes().key("12x"))
                .isInstanceOf(io.shardwright.routing.UnroutableKeyException.class);
    }

    @Test
    void aStatementThatWaitsForAMoverCanBeCancelledFromAnotherThread() throws Exception {
        List<Statement> started = new CopyOnWriteArrayList<>();
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain();
            CompletableFuture<Void> work = Work.connected(connection -> {
                        try (Statement statement = connection.createStatement()) {
                            started.add(statement);
                            statement.executeUpdate("UPDATE orders SET v = 'x' WHERE tenant_id = " + TENANT);
                        }
                    })
                    .start(router);
            awaitBlockedRouter(work);

            started.get(0).cancel();

            assertThatThrownBy(() -> work.get(30, TimeUnit.SECONDS)).hasStackTraceContaining("canceling statement");
        }
        assertThat(shards.values("ds-0", TENANT)).containsExactly("seed");
    }

    @Test
    void transactionControlInSqlIsRefused() {
        assertThatThrownBy(() -> Work.statement("COMMIT AND CHAIN").run(router))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
        assertThatThrownBy(() -> Work.statement("PREPARE TRANSACTION 'x'").run(router))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
    }

    @Test
    void aFrozenMoverMakesTheWaitEndInTheDatabasesError() throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain();
            CompletableFuture<Void> work = Work.transaction(connection -> {
                        try (Statement set = connection.createStatement()) {
                            set.execute("SET LOCAL lock_timeout = '200ms'");
                        }
                        Work.readThenWrite(connection);
                    })
                    .start(router);

            assertThatThrownBy(() -> work.get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(SQLException.class)
                    .hasStackTraceContaining("lock timeout");
        }
        assertThat(router.counters.replays()).isZero();
    }
}
