package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.TwoShards;
import io.shardwright.client.errors.CrossShardTransactionException;
import io.shardwright.client.errors.MissingShardKeyException;
import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.client.table.Contact;
import io.shardwright.client.table.FenceWatch;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.Eventually;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** CT28: every way to write, against the shipped fence, after a switch and in the middle of one. */
class RouterReplayIT {
    private static final int BUCKET = 3;
    private static final long TENANT = TwoShards.tenant(BUCKET, 0);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static TwoShards shards;
    private TestRouter router;

    @BeforeAll
    static void startShards() {
        shards = new TwoShards();
    }

    @AfterAll
    static void stopShards() {
        shards.close();
    }

    @BeforeEach
    void routerKnowsTheOldTable() {
        shards.reset();
        shards.sql("ds-0", "INSERT INTO orders (tenant_id, id, v) VALUES (" + TENANT + ", 1000000, 'seed')");
        router = new TestRouter(shards.pools(shards.server().port())).knows(shards.table(1, Map.of()));
    }

    @AfterEach
    void closeRouter() {
        router.close();
    }

    private interface Work {
        void run(TestRouter router) throws SQLException;
    }

    /** @param after values of the tenant's rows when it has run exactly once after the seed */
    private record Mode(String name, List<String> after, Work work) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Mode mode(String name, List<String> after, Work work) {
        return new Mode(name, after, work);
    }

    private interface OnConnection {
        void run(Connection connection) throws SQLException;
    }

    private static Work connected(OnConnection body) {
        return router -> {
            try (ShardScope scope = router.key(TENANT);
                    Connection connection = router.dataSource.getConnection()) {
                assertThat(scope.key().text()).isEqualTo(Long.toString(TENANT));
                body.run(connection);
            }
        };
    }

    private static Work statement(String sql) {
        return connected(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql.replace("$T", Long.toString(TENANT)));
            }
        });
    }

    private static Work prepared(String sql, String value) {
        return connected(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, value);
                statement.setLong(2, TENANT);
                assertThat(statement.executeUpdate()).isEqualTo(1);
            }
        });
    }

    private static Work transaction(OnConnection body) {
        return connected(connection -> {
            connection.setAutoCommit(false);
            body.run(connection);
            connection.commit();
        });
    }

    private static void readThenWrite(Connection connection) throws SQLException {
        String before;
        try (PreparedStatement read = connection.prepareStatement("SELECT v FROM orders WHERE tenant_id = ?")) {
            read.setLong(1, TENANT);
            try (ResultSet rows = read.executeQuery()) {
                assertThat(rows.next()).as("the row is where it was read").isTrue();
                before = rows.getString(1);
            }
        }
        try (PreparedStatement write = connection.prepareStatement("UPDATE orders SET v = ? WHERE tenant_id = ?")) {
            write.setString(1, before + "+1");
            write.setLong(2, TENANT);
            assertThat(write.executeUpdate()).isEqualTo(1);
        }
    }

    static Stream<Mode> modes() {
        return Stream.concat(autocommits(), transactions());
    }

    static Stream<Mode> autocommits() {
        return Stream.of(
                mode(
                        "autocommit, plain insert",
                        List.of("new", "seed"),
                        statement("INSERT INTO orders (tenant_id, id, v) VALUES ($T, 1, 'new')")),
                mode(
                        "autocommit, prepared insert",
                        List.of("new", "seed"),
                        prepared("INSERT INTO orders (id, v, tenant_id) VALUES (2, ?, ?)", "new")),
                mode(
                        "autocommit, insert that reads",
                        List.of("seed", "seed"),
                        statement("INSERT INTO orders SELECT tenant_id, id + 1, v FROM orders WHERE tenant_id = $T")),
                mode(
                        "autocommit, prepared update",
                        List.of("changed"),
                        prepared("UPDATE orders SET v = ? WHERE tenant_id = ?", "changed")),
                mode(
                        "autocommit, delete with rows",
                        List.of(),
                        statement("DELETE FROM orders WHERE tenant_id = $T RETURNING id")),
                mode(
                        "autocommit, several statements in one text",
                        List.of("a", "b", "seed"),
                        statement("INSERT INTO orders VALUES ($T, 1, 'a'); INSERT INTO orders VALUES ($T, 2, 'b')")),
                mode("autocommit, procedure", List.of("seed!"), statement("CALL raise_value($T)")),
                mode("autocommit, generated keys", List.of("new", "seed"), connected(RouterReplayIT::generatedKeys)),
                mode(
                        "batch, prepared inserts",
                        List.of("0", "1", "2", "seed"),
                        connected(RouterReplayIT::preparedBatch)),
                mode("batch, updates as text", List.of("seed++"), connected(RouterReplayIT::textBatch)));
    }

    static Stream<Mode> transactions() {
        return Stream.of(
                mode("transaction that reads first", List.of("seed+1"), transaction(RouterReplayIT::readThenWrite)),
                mode("transaction with settings first", List.of("seed+1"), transaction(connection -> {
                    try (Statement set = connection.createStatement()) {
                        set.execute("SET LOCAL work_mem = '8MB'");
                    }
                    readThenWrite(connection);
                    try (Statement show = connection.createStatement();
                            ResultSet rows = show.executeQuery("SHOW work_mem")) {
                        rows.next();
                        assertThat(rows.getString(1)).isEqualTo("8MB");
                    }
                })),
                mode("transaction with a savepoint first", List.of("seed+1"), transaction(connection -> {
                    connection.rollback(connection.setSavepoint());
                    readThenWrite(connection);
                })),
                mode("repeatable read transaction", List.of("seed+1"), transaction(connection -> {
                    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                    readThenWrite(connection);
                })),
                mode("streaming read, then write", List.of("seed+1"), transaction(connection -> {
                    try (Statement stream = connection.createStatement()) {
                        stream.setFetchSize(1);
                        try (ResultSet rows = stream.executeQuery("SELECT v FROM orders WHERE tenant_id = " + TENANT)) {
                            assertThat(rows.next()).isTrue();
                        }
                    }
                    readThenWrite(connection);
                })),
                mode(
                        "callback transaction",
                        List.of("seed+1"),
                        router -> router.dataSource
                                .transactions()
                                .run(router.router.scopes().key(TENANT), connection -> {
                                    readThenWrite(connection);
                                    return null;
                                })));
    }

    private static void generatedKeys(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (tenant_id, v) VALUES (?, lower('NEW'))", Statement.RETURN_GENERATED_KEYS)) {
            insert.setLong(1, TENANT);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getLong("id")).isPositive();
            }
        }
    }

    private static void preparedBatch(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?)")) {
            for (int i = 0; i < 3; i++) {
                insert.setLong(1, TENANT);
                insert.setInt(2, i);
                insert.setString(3, Integer.toString(i));
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(1, 1, 1);
        }
    }

    private static void textBatch(Connection connection) throws SQLException {
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("UPDATE orders SET v = v || '+' WHERE tenant_id = " + TENANT);
            batch.addBatch("UPDATE orders SET v = v || '+' WHERE tenant_id = " + TENANT);
            assertThat(batch.executeBatch()).containsExactly(1, 1);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void writesOnceOnTheNewOwnerAfterASwitchThatTheRouterHasNotHeardOf(Mode mode) throws SQLException {
        List<String> before = shards.values("ds-0", TENANT);
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();

            mode.work.run(router);

            assertThat(shards.values("ds-1", TENANT)).isEqualTo(mode.after);
            assertThat(shards.values("ds-0", TENANT)).as("the old owner").isEqualTo(before);
            assertThat(router.counters.refusals(FenceState.MOVED)).isEqualTo(1);
            assertThat(router.counters.replays()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void waitsThroughASwitchThatIsUnderWay(Mode mode) throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain();
            CompletableFuture<Void> work = start(mode);
            awaitBlockedRouter(work);

            bucket.fence().activate();

            work.get(30, TimeUnit.SECONDS);
            assertThat(shards.values("ds-1", TENANT)).isEqualTo(mode.after);
            // A snapshot of repeatable read may be older than the wait, on the source and on the target: one replay
            // each.
            assertThat(router.counters.replays()).isBetween(1L, 3L);
            assertThat(router.counters.stale()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("transactions")
    void staysWhereItIsWhenTheMoverGivesUp(Mode mode) throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain();
            CompletableFuture<Void> work = start(mode);
            awaitBlockedRouter(work);

            bucket.giveUp();

            work.get(30, TimeUnit.SECONDS);
            assertThat(shards.values("ds-0", TENANT)).isEqualTo(mode.after);
            assertThat(shards.values("ds-1", TENANT)).isEmpty();
        }
    }

    private CompletableFuture<Void> start(Mode mode) {
        return CompletableFuture.runAsync(() -> {
            try {
                mode.work.run(router);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
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
                readThenWrite(connection);
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
            readThenWrite(connection);
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
                readThenWrite(connection);
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
                        statement("INSERT INTO orders VALUES ($T, 1, 'x')").run(router))
                .isInstanceOf(StaleRouteException.class);

        assertThat(router.counters.replays()).isEqualTo(3);
        assertThat(router.counters.refusals(FenceState.MOVED)).isEqualTo(4);
        assertThat(router.counters.stale()).isEqualTo(1);
    }

    @Test
    void anEarlyRouterWaitsForATableWhenTheShardNeverOwnedTheBucket() throws Exception {
        router.knows(shards.table(2, Map.of(BUCKET, "ds-1")));
        CompletableFuture<Void> work = start(new Mode(
                "early", List.of(), prepared("INSERT INTO orders (id, v, tenant_id) VALUES (1, ?, ?)", "new")));
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
            CompletableFuture<Void> work = start(new Mode("cancelled", List.of(), connected(connection -> {
                try (Statement statement = connection.createStatement()) {
                    started.add(statement);
                    statement.executeUpdate("UPDATE orders SET v = 'x' WHERE tenant_id = " + TENANT);
                }
            })));
            awaitBlockedRouter(work);

            started.get(0).cancel();

            assertThatThrownBy(() -> work.get(30, TimeUnit.SECONDS)).hasStackTraceContaining("canceling statement");
        }
        assertThat(shards.values("ds-0", TENANT)).containsExactly("seed");
    }

    @Test
    void transactionControlInSqlIsRefused() {
        assertThatThrownBy(() -> statement("COMMIT AND CHAIN").run(router))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
        assertThatThrownBy(() -> statement("PREPARE TRANSACTION 'x'").run(router))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
    }

    @Test
    void aReadOnlyTransactionEntersNothingAndStaysWhereItBegan() throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();
            transaction(connection -> {
                        connection.setReadOnly(true);
                        try (Statement read = connection.createStatement();
                                ResultSet rows =
                                        read.executeQuery("SELECT v FROM orders WHERE tenant_id = " + TENANT)) {
                            assertThat(rows.next())
                                    .as("the old owner still has its rows")
                                    .isTrue();
                        }
                    })
                    .run(router);
        }
        assertThat(router.counters.replays()).isZero();
    }

    @Test
    void aRouterThatNobodyConfirmsNeverReadsAnEmptiedBucketAsNoRows() throws Exception {
        Work read = connected(connection -> {
            try (Statement select = connection.createStatement();
                    ResultSet rows = select.executeQuery("SELECT v FROM orders WHERE tenant_id = " + TENANT)) {
                assertThat(rows.next()).as("the row, on whichever shard").isTrue();
            }
        });
        Work readOnly = transaction(connection -> {
            connection.setReadOnly(true);
            try (Statement select = connection.createStatement();
                    ResultSet rows = select.executeQuery("SELECT v FROM orders WHERE tenant_id = " + TENANT)) {
                assertThat(rows.next()).as("the row, on whichever shard").isTrue();
            }
        });
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate().cleanUp();
            assertThatThrownBy(() -> read.run(router))
                    .as("the contrast: a trusted router")
                    .isInstanceOf(AssertionError.class);

            router.nanos.addAndGet(Duration.ofSeconds(31).toNanos());

            read.run(router);
            readOnly.run(router);
        }
        assertThat(router.counters.replays()).isEqualTo(2);
    }

    @Test
    void aCutOffRouterLearnsTheOwnerFromTheFencesAndNeedsNoReplay() throws Exception {
        FenceWatch fences = new FenceWatch(TestRouter.INSTANCE, router.table, router.pools, router.contact);
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();
            fences.look();
            assertThat(router.table.require().overlay())
                    .as("not cut off: nothing is asked")
                    .isEmpty();
            router.nanos.addAndGet(Contact.CUT_OFF_AFTER.toNanos());

            fences.look();

            assertThat(router.table.require().overlay()).containsOnlyKeys(BUCKET);
            prepared("UPDATE orders SET v = ? WHERE tenant_id = ?", "changed").run(router);
        }
        assertThat(shards.values("ds-1", TENANT)).containsExactly("changed");
        assertThat(router.counters.replays()).isZero();
        router.nanos.addAndGet(Duration.ofSeconds(15).toNanos());
        assertThat(router.contact.readsMustCheck("ds-1")).as("polled 15 s ago").isFalse();
    }

    @Test
    void anAutocommitReadHoldsItsTableUntilItsResultSetIsClosed() throws Exception {
        connected(connection -> {
                    try (Statement select = connection.createStatement();
                            ResultSet rows = select.executeQuery("SELECT v FROM orders")) {
                        router.knows(shards.table(2, Map.of()));
                        assertThat(rows.next()).isTrue();
                        assertThat(oldestInFlight()).isEqualTo(1);
                        rows.close();
                        assertThat(oldestInFlight())
                                .as("the connection alone holds nothing")
                                .isEqualTo(2);
                    }
                })
                .run(router);
    }

    private long oldestInFlight() {
        return router.flights.oldest(router.table.require().order()).revision();
    }

    @Test
    void aFrozenMoverMakesTheWaitEndInTheDatabasesError() throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain();
            CompletableFuture<Void> work = start(new Mode("limited", List.of(), transaction(connection -> {
                try (Statement set = connection.createStatement()) {
                    set.execute("SET LOCAL lock_timeout = '200ms'");
                }
                readThenWrite(connection);
            })));

            assertThatThrownBy(() -> work.get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(SQLException.class)
                    .hasStackTraceContaining("lock timeout");
        }
        assertThat(router.counters.replays()).isZero();
    }
}
