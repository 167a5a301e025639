package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.table.Tables;
import io.shardwright.routing.Route;
import io.shardwright.routing.ShardKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** T4 and the giving back of connections, with shards that do nothing. */
class LeasesTest {
    private final FakeShards shards = new FakeShards();
    private final TestRouter router = new TestRouter(shards);
    private final Leases leases = new Leases(router.router);
    private ShardKey key;

    @BeforeEach
    void everythingIsOnTheFirstShard() {
        router.intake.offer(Tables.document(5), "test");
        key = router.router.scopes().key(42);
    }

    private void everythingMoves() {
        String moved = Tables.document(6).replace("\"ds-0*8\"", "\"ds-1*8\"").replace("\"1*8\"", "\"2*8\"");
        router.intake.offer(moved, "test");
        assertThat(revisionInForce()).isEqualTo(6);
    }

    private long revisionInForce() {
        return router.table.require().order().revision();
    }

    private long oldestInFlight() {
        return router.flights.oldest(router.table.require().order()).revision();
    }

    @Test
    void aTableThatComesWhileAPoolIsWaitedForIsFollowedAndNotHeldBack() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch available = new CountDownLatch(1);
        shards.connecting = shard -> {
            if (shard.equals("ds-0")) {
                waits.countDown();
                await(available);
            }
        };
        CompletableFuture<Route> route = CompletableFuture.supplyAsync(() -> {
            try {
                return leases.attempt(key, Hint.NONE).route();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        await(waits);

        everythingMoves();

        assertThat(oldestInFlight()).as("nobody works by the old table").isEqualTo(6);
        available.countDown();
        assertThat(route.get(30, TimeUnit.SECONDS).shard()).isEqualTo("ds-1");
        assertThat(shards.back).as("the useless connection").containsExactly("ds-0");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aConnectionThatDoesNotCloseKeepsNoOtherOne() throws SQLException {
        leases.attempt(key, Hint.NONE);
        everythingMoves();
        leases.attempt(key, Hint.NONE);
        shards.broken.add("ds-0 close");
        shards.broken.add("ds-1 rollback");

        leases.close();

        assertThat(shards.back).containsExactlyInAnyOrder("ds-0", "ds-1");
        assertThat(oldestInFlight()).isEqualTo(6);
    }

    @Test
    void aDeadConnectionToTheOldOwnerDoesNotStopTheReplayOnTheNewOne() throws SQLException {
        leases.end(leases.attempt(key, Hint.NONE));
        everythingMoves();
        shards.broken.add("ds-0 rollback");
        shards.broken.add("ds-0 close");
        assertThat(leases.attempt(key, Hint.NONE).route().shard()).isEqualTo("ds-1");
    }

    @Test
    void aConnectionThatTakesNoSettingsIsNotUsedWithoutThem() throws Exception {
        leases.set(new Call(Connection.class.getMethod("setSchema", String.class), new Object[] {"s"}));
        shards.broken.add("ds-0 setSchema");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> leases.attempt(key, Hint.NONE)).hasMessage("ds-0 is dead");
        }
        assertThat(shards.back).containsExactly("ds-0", "ds-0");
    }

    @Test
    void aCommittedResultSurvivesAConnectionThatCannotBeGivenBack() throws SQLException {
        shards.broken.add("ds-0 close");
        String result = router.dataSource.transactions().run(key, connection -> {
            connection.getMetaData();
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(shards.back).containsExactly("ds-0");
    }

    @Test
    void theErrorOfTheWorkSurvivesAConnectionThatCannotBeRolledBack() {
        shards.broken.add("ds-0 rollback");
        assertThatThrownBy(() -> router.dataSource.transactions().run(key, connection -> {
                    connection.getMetaData();
                    throw new SQLException("no stock", "P0001");
                }))
                .hasMessage("no stock");
        assertThat(shards.back).containsExactly("ds-0");
    }

    @Test
    @SuppressWarnings("try")
    void closingTheRowsOfAnEarlierExecutionEndsNoLaterOne() throws SQLException {
        try (ShardScope scope = router.key(42);
                Connection connection = router.dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            ResultSet first = statement.executeQuery("SELECT 1");
            ResultSet second = statement.executeQuery("SELECT 2");
            everythingMoves();

            first.close();

            assertThat(oldestInFlight()).as("the second is open").isEqualTo(5);
            second.close();
            assertThat(oldestInFlight()).isEqualTo(6);
        }
    }

    @Test
    @SuppressWarnings("try")
    void rowsThatDoNotCloseHoldNoAcknowledgementBack() throws SQLException {
        try (ShardScope scope = router.key(42);
                Connection connection = router.dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            ResultSet rows = statement.executeQuery("SELECT 1");
            everythingMoves();
            shards.broken.add("ResultSet close");

            assertThatThrownBy(rows::close).hasMessage("ResultSet is dead");

            assertThat(oldestInFlight()).isEqualTo(6);
        }
    }

    @Test
    @SuppressWarnings("try")
    void whatWouldStayOnThePooledConnectionIsRefused() throws SQLException {
        Properties named = new Properties();
        named.setProperty("ApplicationName", "mine");
        try (ShardScope scope = router.key(42);
                Connection connection = router.dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                for (String sql : List.of("SET search_path = x", "RESET ALL", "SELECT 1; SET ROLE x")) {
                    assertThatThrownBy(() -> statement.execute(sql))
                            .isInstanceOf(SQLFeatureNotSupportedException.class)
                            .hasMessageContaining("use SET LOCAL in a transaction");
                }
            }
            assertThatThrownBy(() -> connection.setClientInfo("ApplicationName", "mine"))
                    .isInstanceOf(SQLClientInfoException.class);
            assertThatThrownBy(() -> connection.setClientInfo(named)).isInstanceOf(SQLClientInfoException.class);
            connection.setClientInfo("ClientUser", "me");
        }
    }
}
