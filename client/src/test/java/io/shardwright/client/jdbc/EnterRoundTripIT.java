package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.CountingProxy;
import io.shardwright.client.TwoShards;
import io.shardwright.client.errors.AmbiguousWriteException;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the fence costs on the wire, counted between the driver and the server. */
class EnterRoundTripIT {
    private static final int BUCKET = 3;
    private static final long TENANT = TwoShards.tenant(BUCKET, 0);

    private static TwoShards shards;
    private static CountingProxy proxy;
    private static TestRouter router;

    @BeforeAll
    static void start() throws IOException {
        shards = new TwoShards();
        shards.sql("ds-0", "INSERT INTO orders (tenant_id, id, v) VALUES (" + TENANT + ", 1000000, 'seed')");
        proxy = new CountingProxy(shards.server().host(), shards.server().port());
        router = new TestRouter(shards.pools(proxy.port())).knows(shards.table(1, Map.of()));
    }

    @AfterAll
    static void stop() throws IOException {
        router.close();
        proxy.close();
        shards.close();
    }

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    static Stream<Arguments> works() {
        return Stream.of(
                Arguments.of("autocommit update", 0, (Work) EnterRoundTripIT::update),
                Arguments.of("autocommit update as text", 0, (Work) connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.executeUpdate("UPDATE orders SET v = 'w' WHERE tenant_id = " + TENANT);
                    }
                }),
                Arguments.of("autocommit update that gives rows: BEGIN (which waits for nothing) and COMMIT", 2, (Work)
                        connection -> {
                            try (PreparedStatement update = connection.prepareStatement(
                                    "UPDATE orders SET v = 'w' WHERE tenant_id = ? RETURNING v")) {
                                update.setLong(1, TENANT);
                                update.executeQuery().close();
                            }
                        }),
                Arguments.of("autocommit insert", 0, (Work) connection -> {
                    try (PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO orders (tenant_id, v) VALUES (?, 'x')")) {
                        insert.setLong(1, TENANT);
                        insert.executeUpdate();
                    }
                }),
                Arguments.of("transaction that reads and writes", 0, (Work) connection -> {
                    connection.setAutoCommit(false);
                    try (PreparedStatement read =
                            connection.prepareStatement("SELECT v FROM orders WHERE tenant_id = ?")) {
                        read.setLong(1, TENANT);
                        read.executeQuery().close();
                    }
                    update(connection);
                    connection.commit();
                    connection.setAutoCommit(true);
                }),
                Arguments.of("transaction with a batch: one trip to enter", 1, (Work) connection -> {
                    connection.setAutoCommit(false);
                    try (PreparedStatement batch =
                            connection.prepareStatement("UPDATE orders SET v = ? WHERE tenant_id = ?")) {
                        for (String value : new String[] {"a", "b"}) {
                            batch.setString(1, value);
                            batch.setLong(2, TENANT);
                            batch.addBatch();
                        }
                        batch.executeBatch();
                    }
                    connection.commit();
                    connection.setAutoCommit(true);
                }));
    }

    private static void update(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE orders SET v = ? WHERE tenant_id = ?")) {
            update.setString(1, "w");
            update.setLong(2, TENANT);
            assertThat(update.executeUpdate()).isPositive();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("works")
    void costsNoRoundTripMoreThanTheBareDriver(String name, int more, Work work) throws SQLException {
        int bare = bareTrips(work);

        int routed = routedTrips(work);

        assertThat(routed).as(name).isEqualTo(bare + more);
        assertThat(bare).as("the proxy sees them").isPositive();
    }

    private static int bareTrips(Work work) throws SQLException {
        String url = "jdbc:postgresql://" + shards.server().host() + ":" + proxy.port() + "/ds-0?sslmode=disable";
        try (Connection bare = DriverManager.getConnection(
                url, shards.server().superuser(), shards.server().superuserPassword())) {
            work.on(bare);
            proxy.takeRoundTrips();
            work.on(bare);
            return proxy.takeRoundTrips();
        }
    }

    private static int routedTrips(Work work) throws SQLException {
        try (ShardScope scope = router.key(TENANT);
                Connection routed = router.dataSource.getConnection()) {
            assertThat(scope.key().text()).isEqualTo(Long.toString(TENANT));
            work.on(routed);
            proxy.takeRoundTrips();
            work.on(routed);
            return proxy.takeRoundTrips();
        }
    }

    @Test
    void aCommitWithoutAnswerIsUnknownAndNeverRepeated() throws SQLException {
        long replays = router.counters.replays();
        try (ShardScope scope = router.key(TENANT);
                Connection connection = router.dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, 77, 'once')")) {
                insert.setLong(1, Long.parseLong(scope.key().text()));
                insert.executeUpdate();
            }
            proxy.loseNextCommit();

            assertThatThrownBy(connection::commit).isInstanceOfSatisfying(AmbiguousWriteException.class, unknown -> {
                assertThat(unknown.shard()).isEqualTo("ds-0");
                assertThat(unknown.revision()).isEqualTo(1);
                assertThat(unknown.getSQLState()).isEqualTo("08007");
            });
        }
        assertThat(router.counters.replays()).isEqualTo(replays);
        assertThat(router.counters.ambiguous())
                .as("what the application can see of it")
                .isEqualTo(1);
        Eventually.until(
                "the commit that nobody was told of",
                Duration.ofSeconds(30),
                () -> shards.values("ds-0", TENANT).contains("once"),
                () -> shards.values("ds-0", TENANT).toString());
    }
}
