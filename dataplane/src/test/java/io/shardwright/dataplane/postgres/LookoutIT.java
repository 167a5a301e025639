package io.shardwright.dataplane.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardSight.Problem.Kind;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.ScramSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Looks that follow each other share their sessions, and see all the same what a new login would have seen. */
class LookoutIT {
    private static PostgresServer server;
    private static ShopDatabase shop;

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Lookout lookout;

    @BeforeAll
    static void openShop() {
        server = PostgresServer.builder().name("lookout").start();
        shop = ShopDatabase.fenced(server, "shop");
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @BeforeEach
    void look() {
        lookout = lookout(Lookout.IDLE);
        assertThat(problems()).isEmpty();
    }

    private Lookout lookout(Duration idle) {
        return new Lookout(new PostgresSessions(), shop.access(), () -> now, idle);
    }

    private List<Kind> problems() {
        return problems(lookout);
    }

    private static List<Kind> problems(Lookout lookout) {
        return lookout.look(ShopDatabase.SCHEMA).problems().stream()
                .map(Problem::kind)
                .toList();
    }

    private static List<List<String>> lookers() {
        return server.query(
                "shop", "SELECT pid FROM pg_stat_activity WHERE application_name = 'shardwright/look' ORDER BY pid");
    }

    @Test
    void theNextLookLogsInNowhere() {
        List<List<String>> first = lookers();

        assertThat(problems()).isEmpty();

        assertThat(lookers()).hasSize(2).isEqualTo(first);
        leave();
    }

    @Test
    void aLoginIsBelievedForAMinuteOnly() {
        server.runScript("postgres", "ALTER ROLE shardwright_mover PASSWORD '" + ScramSecret.of("another") + "'");
        try {
            assertThat(problems()).isEmpty();

            now = now.plus(Lookout.KEPT).plusMillis(1);

            assertThat(problems()).containsExactly(Kind.ACCESS_DENIED);
        } finally {
            server.runScript(
                    "postgres",
                    "ALTER ROLE shardwright_mover PASSWORD '" + ScramSecret.of(ShopDatabase.MOVER_PASSWORD) + "'");
        }
        assertThat(problems()).isEmpty();
        leave();
    }

    @Test
    void aRefusalThatAnotherCallMeetsIsSeenByTheNextLook() {
        PostgresShards shards = new PostgresShards(new PostgresSessions());
        assertThat(shards.look(shop.access(), ShopDatabase.SCHEMA).problems()).isEmpty();
        server.runScript("postgres", "ALTER ROLE shardwright_operator PASSWORD '" + ScramSecret.of("another") + "'");
        try {
            assertThat(shards.look(shop.access(), ShopDatabase.SCHEMA).problems())
                    .isEmpty();

            assertThatThrownBy(() -> shards.scan(shop.access(), ShopDatabase.SCHEMA))
                    .isInstanceOf(ShardException.class);

            assertThat(shards.look(shop.access(), ShopDatabase.SCHEMA).problems())
                    .extracting(Problem::kind)
                    .containsExactly(Kind.ACCESS_DENIED);
        } finally {
            server.runScript(
                    "postgres",
                    "ALTER ROLE shardwright_operator PASSWORD '" + ScramSecret.of(ShopDatabase.OPERATOR_PASSWORD)
                            + "'");
        }
        assertThat(shards.look(shop.access(), ShopDatabase.SCHEMA).problems()).isEmpty();
        server.query(
                "shop",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'shardwright/look'");
        leave();
    }

    @Test
    void aServerThatWasStartedAgainIsSeenAtOnce() {
        server.stop(PostgresServer.StopMode.IMMEDIATE);

        assertThat(problems()).containsExactly(Kind.UNREACHABLE);

        server.start();
        assertThat(problems()).isEmpty();
        leave();
    }

    @Test
    void aServerThatStandsStillIsNoHealthyOne() {
        server.freeze();
        try {
            assertThat(problems()).containsExactly(Kind.UNREACHABLE);
        } finally {
            server.thaw();
        }
        assertThat(problems()).isEmpty();
        leave();
    }

    @Test
    void whoIsNotAskedAnyMoreKeepsNoSession() {
        assertThat(lookout.retire()).isFalse();

        leave();
    }

    @Test
    void theServerEndsWhatNobodyAsksAnyMore() {
        leave();
        Lookout forgotten = lookout(Duration.ofMillis(200));
        assertThat(problems(forgotten)).isEmpty();

        awaitNobody();

        assertThat(problems(forgotten)).isEmpty();
        awaitNobody();
    }

    private void leave() {
        now = now.plus(Lookout.KEPT).plusMillis(1);
        assertThat(lookout.retire()).isTrue();
        awaitNobody();
    }

    private static void awaitNobody() {
        Eventually.until(
                "the sessions to end",
                Duration.ofSeconds(30),
                () -> lookers().isEmpty(),
                () -> lookers().toString());
    }
}
