package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.shardwright.client.table.Tables;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.ShardLoad;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which requests are counted, and for which key; with shards that do nothing. */
class CountedStatementsTest {
    private final FakeShards shards = new FakeShards();
    private final TestRouter router = new TestRouter(shards);

    @BeforeEach
    void everythingIsOnTheFirstShard() {
        router.intake.offer(Tables.document(5), "test");
    }

    @AfterEach
    void close() {
        router.close();
    }

    private Map<String, Long> counted() {
        router.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        List<ShardLoad> loads = router.load.newest().shards();
        assertThat(loads).allMatch(load -> load.shard().equals("ds-0"));
        assertThat(loads).allMatch(load -> load.neighbours().total() == load.requests());
        return loads.stream()
                .flatMap(load -> load.hottest().stream())
                .collect(Collectors.toMap(KeyLoad::key, KeyLoad::atLeast));
    }

    @Test
    void readsAndWritesInAutocommitCountForTheKeyInScope() throws SQLException {
        try (ShardScope scope = router.key(42);
                Connection connection = router.dataSource.getConnection();
                Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("UPDATE orders SET v = ?")) {
            statement.executeQuery("SELECT 1");
            statement.executeUpdate("INSERT INTO orders VALUES (1)");
            for (int row = 0; row < 3; row++) {
                prepared.setString(1, "v");
                prepared.addBatch();
            }
            prepared.executeBatch();
            assertThat(scope.key().text()).isEqualTo("42");
        }
        assertThat(counted()).as("a batch is one request").containsOnly(entry("42", 3L));
    }

    @Test
    void eachStatementOfATransactionCountsAsOneAndItsEndAsNone() throws SQLException {
        ShardKey key = router.router.scopes().key(42);
        router.dataSource.transactions().run(key, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO orders VALUES (1)");
                statement.execute("SELECT 1");
                try (ShardScope inner = router.key(43)) {
                    statement.execute("DELETE FROM orders");
                    return inner.key();
                }
            }
        });
        router.dataSource.transactions().run(key, connection -> "nothing");

        assertThat(counted()).containsOnly(entry("42", 2L), entry("43", 1L));
    }

    @Test
    void whatNeverReachedTheShardIsNoRequestOfIt() throws SQLException {
        ShardKey key = router.router.scopes().key(42);
        Leases leases = new Leases(router.router);
        Attempt attempt = leases.attempt(key, Hint.NONE);

        for (String state : List.of("08001", "08003", "08004", "57P03")) {
            assertThatThrownBy(() -> attempt.counted(key, () -> {
                        throw new SQLException("not sent", state);
                    }))
                    .hasMessage("not sent");
        }
        leases.close();

        assertThat(counted()).isEmpty();
    }

    @Test
    void whatTheShardAnsweredWithAnErrorOrNotAtAllIsARequest() throws SQLException {
        ShardKey key = router.router.scopes().key(42);
        Leases leases = new Leases(router.router);
        Attempt attempt = leases.attempt(key, Hint.NONE);

        for (String state : new String[] {"23505", "SH409", "08006", null}) {
            assertThatThrownBy(() -> attempt.counted(key, () -> {
                        throw new SQLException("sent", state);
                    }))
                    .hasMessage("sent");
        }
        leases.close();

        assertThat(counted()).containsOnly(entry("42", 4L));
    }
}
