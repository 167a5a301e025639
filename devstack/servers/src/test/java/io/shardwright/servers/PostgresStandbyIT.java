package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.servers.PostgresServer.StopMode;
import io.shardwright.servers.PostgresServer.Version;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a failover is made of: who has a commit, who waits for it, and what is left when the primary is gone. */
class PostgresStandbyIT {
    private PostgresServer primary;
    private PostgresStandby standby;

    private void start(Version version) {
        primary = PostgresServer.builder().version(version).name("primary").start();
        primary.runScript("postgres", "CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
        standby = PostgresStandby.synchronous(primary, "standby");
    }

    @AfterEach
    void stop() {
        standby.close();
        primary.close();
    }

    private void insert(int i) {
        primary.runScript("postgres", "INSERT INTO t VALUES (" + i + ")");
    }

    private static List<List<String>> rows(PostgresServer server) {
        return server.query("postgres", "SELECT i FROM t ORDER BY i");
    }

    private void awaitWaitingCommit() {
        Eventually.until(
                "a commit that waits for the standby",
                Duration.ofSeconds(30),
                () -> !primary.query("postgres", "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                        .isEmpty(),
                () -> primary.query("postgres", "SELECT * FROM pg_stat_activity")
                        .toString());
    }

    @ParameterizedTest
    @EnumSource
    void takesThePlaceOfItsPrimaryWithEveryAnsweredCommitAndNoOther(Version version) {
        start(version);
        insert(2);

        standby.stall();
        var unanswered = CompletableFuture.runAsync(() -> insert(3));
        awaitWaitingCommit();
        primary.stop(StopMode.IMMEDIATE);
        standby.promote();

        assertThat(unanswered).failsWithin(Duration.ofSeconds(30));
        assertThat(rows(standby.server())).containsExactly(List.of("1"), List.of("2"));
        standby.server().runScript("postgres", "INSERT INTO t VALUES (4)");
        assertThat(rows(standby.server())).contains(List.of("4"));
        primary.start();
        assertThat(rows(primary))
                .as("the old primary had the commit that nobody was told of")
                .containsExactly(List.of("1"), List.of("2"), List.of("3"));
    }

    @Test
    void isWaitedForUntilItGoesOnOrTheListIsEmptied() {
        start(Version.NEWEST);

        standby.stall();
        var resumed = CompletableFuture.runAsync(() -> insert(2));
        awaitWaitingCommit();
        assertThat(resumed).isNotDone();
        standby.resume();
        assertThat(resumed).succeedsWithin(Duration.ofSeconds(30));

        standby.stall();
        var emptied = CompletableFuture.runAsync(() -> insert(3));
        awaitWaitingCommit();
        assertThat(emptied).isNotDone();
        primary.set("synchronous_standby_names", "");
        assertThat(emptied).succeedsWithin(Duration.ofSeconds(30));

        insert(4);
        assertThat(rows(standby.server())).doesNotContain(List.of("3"), List.of("4"));
    }
}
