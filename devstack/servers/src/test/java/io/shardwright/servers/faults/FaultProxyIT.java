package io.shardwright.servers.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** What the proxy calls an effect, and who knows what after each fault. */
class FaultProxyIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Predicate<Effect> ANY = effect -> true;

    private static PostgresServer server;
    private FaultProxy proxy;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.builder().name("proxied").start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void stand() {
        server.runScript("postgres", "DROP TABLE IF EXISTS t; CREATE TABLE t (i int, note text)");
        proxy = FaultProxy.before(server, "shardwright/");
    }

    @AfterEach
    void leave() {
        proxy.close();
    }

    private Connection connect(String applicationName) throws SQLException {
        var properties = new Properties();
        properties.setProperty("user", server.superuser());
        properties.setProperty("password", server.superuserPassword());
        properties.setProperty("ApplicationName", applicationName);
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres", properties);
    }

    private Connection mover() throws SQLException {
        return connect("shardwright/1/2");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<List<String>> rows() {
        return server.query("postgres", "SELECT i FROM t ORDER BY i");
    }

    private static void insert(Connection connection, int i) throws SQLException {
        execute(connection, "INSERT INTO t VALUES (" + i + ")");
    }

    /** In a transaction, as movers do. */
    private static void insertAndCommit(Connection connection, int i) throws SQLException {
        connection.setAutoCommit(false);
        insert(connection, i);
        connection.commit();
    }

    @Test
    void numbersWhatBecomesDurableAndNothingElse() throws SQLException {
        try (var mover = mover();
                var other = connect("web")) {
            insert(other, 1);
            execute(mover, "SELECT i FROM t FOR UPDATE");
            insert(mover, 2);
            mover.setAutoCommit(false);
            execute(mover, "SELECT i FROM t");
            mover.commit();
            insert(mover, 3);
            mover.rollback();
            execute(mover, "SELECT 'first'; UPDATE t SET note = 'x' WHERE i = 4; DELETE FROM t WHERE i = 5");
            mover.commit();
            for (int i = 0; i < 8; i++) { // from the sixth time on by a name that the driver has given it
                insert(mover, i);
                mover.commit();
            }
            execute(mover, "WITH gone AS (DELETE FROM t WHERE i = 6 RETURNING i) SELECT count(*) FROM gone");
            execute(mover, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid = -1");
            mover.rollback();
        }
        assertThat(proxy.effects().subList(0, 3))
                .extracting(Effect::name)
                .containsExactly(
                        "INSERT INTO t VALUES (?) #1",
                        "COMMIT of UPDATE t SET note = ? WHERE i = ?; DELETE FROM t WHERE i = ? #1",
                        "COMMIT of INSERT INTO t VALUES (?) #1");
        assertThat(proxy.effects()).hasSize(11);
        assertThat(proxy.effects().get(9).name()).isEqualTo("COMMIT of INSERT INTO t VALUES (?) #8");
        assertThat(proxy.effects().getLast().what()).startsWith("SELECT count(pg_terminate_backend(pid))");
    }

    @Test
    void aCommitThatIsCutBeforeItIsSentNeverHappened() throws SQLException {
        proxy.arm(effect -> effect.number() == 2, Fault.CUT_BEFORE);
        try (var mover = mover()) {
            insertAndCommit(mover, 1);

            assertThatThrownBy(() -> insertAndCommit(mover, 2))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
        }
        awaitNobody();
        assertThat(rows()).containsExactly(List.of("1"));
        assertThat(proxy.struck()).contains(proxy.effects().get(1));
    }

    @Test
    void aCommitThatIsCutAfterItsAnswerHappenedAndTheClientSeesTheSameError() throws SQLException {
        proxy.arm(effect -> effect.number() == 2, Fault.CUT_AFTER);
        try (var mover = mover()) {
            insertAndCommit(mover, 1);

            assertThatThrownBy(() -> insertAndCommit(mover, 2))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
        }
        assertThat(rows()).containsExactly(List.of("1"), List.of("2"));
    }

    private static void awaitNobody() {
        Eventually.until(
                "the server to notice the cut",
                LIMIT,
                () -> server.query(
                                "postgres",
                                "SELECT FROM pg_stat_activity WHERE starts_with(application_name, 'shardwright/')")
                        .isEmpty(),
                () -> server.query("postgres", "SELECT * FROM pg_stat_activity").toString());
    }

    @Test
    void aDroppedAnswerLeavesTheClientWaitingForWhatHasHappened() throws SQLException {
        proxy.arm(ANY, Fault.DROP_ANSWER);
        try (var mover = mover()) {
            var waiting = CompletableFuture.runAsync(() -> unchecked(() -> insertAndCommit(mover, 1)));
            Eventually.until("the answer", LIMIT, proxy::answerWithheld, waiting::toString);
            assertThat(rows()).containsExactly(List.of("1"));
            assertThat(waiting).isNotDone();

            mover.abort(Runnable::run);

            assertThat(waiting).failsWithin(LIMIT);
        }
    }

    @Test
    void aHeldAnswerComesWhenItIsReleased() throws SQLException {
        proxy.arm(ANY, Fault.HOLD_ANSWER);
        try (var mover = mover()) {
            var waiting = CompletableFuture.runAsync(() -> unchecked(() -> insertAndCommit(mover, 1)));
            Eventually.until("the answer", LIMIT, proxy::answerWithheld, waiting::toString);
            assertThat(rows()).containsExactly(List.of("1"));
            assertThat(waiting).isNotDone();

            proxy.release();

            assertThat(waiting).succeedsWithin(LIMIT);
            insertAndCommit(mover, 2);
        }
        assertThat(rows()).containsExactly(List.of("1"), List.of("2"));
    }

    @Test
    void aHeldRequestHappensWhenItIsReleased() throws SQLException {
        proxy.arm(ANY, Fault.HOLD_REQUEST);
        try (var mover = mover();
                var other = connect("web")) {
            var waiting = CompletableFuture.runAsync(() -> unchecked(() -> insertAndCommit(mover, 1)));
            proxy.awaitStruck();
            insert(other, 2);
            assertThat(rows()).as("the others go on").containsExactly(List.of("2"));

            proxy.release();

            assertThat(waiting).succeedsWithin(LIMIT);
        }
        assertThat(rows()).containsExactly(List.of("1"), List.of("2"));
    }

    /** As with a client's process that is killed before it has sent it. */
    @Test
    void aHeldRequestThatIsCutIsNeverSent() throws SQLException {
        proxy.arm(ANY, Fault.HOLD_REQUEST);
        try (var mover = mover()) {
            var waiting = CompletableFuture.runAsync(() -> unchecked(() -> insertAndCommit(mover, 1)));
            proxy.awaitStruck();

            proxy.cut();
            proxy.release();

            assertThat(waiting).failsWithin(LIMIT);
        }
        awaitNobody();
        assertThat(rows()).isEmpty();
        try (var next = mover()) {
            insertAndCommit(next, 2);
        }
        assertThat(rows()).containsExactly(List.of("2"));
    }

    /** What is not a question and an answer passes, too. */
    @Test
    void passesCopiesAndCancelsAndWrongPasswords() throws Exception {
        try (var mover = mover()) {
            mover.setAutoCommit(false);
            mover.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY t (i) FROM STDIN", new StringReader("1\n2\n"));
            mover.commit();
            try (var statement = mover.createStatement()) {
                var asleep =
                        CompletableFuture.runAsync(() -> unchecked(() -> statement.execute("SELECT pg_sleep(60)")));
                Eventually.until("a query", LIMIT, FaultProxyIT::sleeps, asleep::toString);
                statement.cancel();
                assertThat(asleep).failsWithin(LIMIT);
            }
        }
        assertThat(proxy.effects()).extracting(Effect::what).containsExactly("COMMIT of COPY t (i) FROM STDIN");
        assertThat(rows()).hasSize(2);
        assertThatThrownBy(() -> DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres", "postgres", "wrong"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
    }

    private static boolean sleeps() {
        return !server.query("postgres", "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                .isEmpty();
    }

    @FunctionalInterface
    private interface Sql {
        void run() throws SQLException;
    }

    private static void unchecked(Sql sql) {
        try {
            sql.run();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
