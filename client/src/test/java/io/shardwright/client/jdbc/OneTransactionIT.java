package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.TwoShards;
import io.shardwright.client.errors.StaleRouteException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * F1 in autocommit: the lock of {@code enter} is held while its statement runs, however the driver cuts the message. The table
 * {@code notes} has no trigger, so what it sees of the fence comes from {@code enter} alone.
 */
class OneTransactionIT {
    private static final int BUCKET = 3;
    private static final long TENANT = TwoShards.tenant(BUCKET, 0);
    private static final String FENCED = "current_setting('shardwright.fenced', true)";

    /** More than pgjdbc sends without looking at answers in between. */
    private static final int MANY = 300;

    private static TwoShards shards;

    @BeforeAll
    static void startShards() {
        shards = new TwoShards();
        for (String shard : new String[] {"ds-0", "ds-1"}) {
            shards.sql(shard, "CREATE TABLE notes (noted timestamp, v text); GRANT ALL ON notes TO PUBLIC");
        }
    }

    @AfterAll
    static void stopShards() {
        shards.close();
    }

    @BeforeEach
    void oneNote() {
        shards.reset();
        for (String shard : new String[] {"ds-0", "ds-1"}) {
            shards.sql(shard, "DELETE FROM notes");
        }
    }

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    @SuppressWarnings("try")
    private static void run(String options, Work work) throws SQLException {
        try (TestRouter router = new TestRouter(shards.pools(shards.server().port(), 2, options))
                        .knows(shards.table(1, Map.of()));
                ShardScope scope = router.key(TENANT);
                Connection connection = router.dataSource.getConnection()) {
            work.on(connection);
        }
    }

    private static String note(String sql) {
        return shards.server().query("ds-0", sql).get(0).get(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "&preferQueryMode=simple", "&preferQueryMode=extendedForPrepared", "&prepareThreshold=-1"})
    void aPreparedChangeRunsUnderItsLockHoweverTheDriverSendsIt(String options) throws SQLException {
        shards.sql("ds-0", "INSERT INTO notes VALUES (now(), '')");
        run(options, connection -> {
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE notes SET noted = ?, v = v || ' ' || coalesce(" + FENCED + ", 'no')")) {
                for (int i = 0; i < 10; i++) {
                    update.setTimestamp(1, new Timestamp(i));
                    assertThat(update.executeUpdate()).isEqualTo(1);
                }
            }
        });
        assertThat(note("SELECT v FROM notes")).isEqualTo(" yes".repeat(10));
    }

    @Test
    void aStatementThatReturnsTextRunsUnderItsLockAlsoWhenTheDriverKnowsItsColumns() throws SQLException {
        shards.sql("ds-0", "INSERT INTO notes VALUES (now(), '')");
        run("", connection -> {
            for (int i = 0; i < 10; i++) {
                try (PreparedStatement update =
                        connection.prepareStatement("UPDATE notes SET noted = ? RETURNING " + FENCED)) {
                    update.setTimestamp(1, new Timestamp(i)); // of no type: the driver asks the server for it
                    try (ResultSet rows = update.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getString(1)).as("execution " + i).isEqualTo("yes");
                    }
                }
            }
        });
    }

    @Test
    void hundredsOfStatementsInOneTextAreOneTransaction() throws SQLException {
        run("", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO notes (v) VALUES (pg_current_xact_id()::text);".repeat(MANY));
            }
        });
        assertThat(note("SELECT count(*) FROM notes")).isEqualTo(Integer.toString(MANY));
        assertThat(note("SELECT count(DISTINCT v) FROM notes")).isEqualTo("1");
    }

    @Test
    void aRefusalAtTheEndOfALongTextLeavesNothingOfItsBeginning() throws SQLException {
        long elsewhere = TwoShards.tenant(BUCKET + 1, 0);
        String text = "INSERT INTO notes (v) VALUES ('x');".repeat(MANY) + "INSERT INTO orders VALUES (" + elsewhere
                + ", 1, 'x')";
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET + 1)) {
            bucket.drain().fence().activate();
            assertThatThrownBy(() -> run("", connection -> {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute(text);
                        }
                    }))
                    .isInstanceOf(StaleRouteException.class);
        }
        assertThat(note("SELECT count(*) FROM notes")).isEqualTo("0");
    }
}
