package io.shardwright.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.WorkDirectory;
import io.shardwright.stage.shop.Passwords;
import io.shardwright.stage.shop.ShopLayout;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The stage without an operator: what a team finds on the first day. */
class StageIT {
    private static final List<String> TOLD = new ArrayList<>();
    private static Stage stage;

    @BeforeAll
    static void start() {
        stage = Stage.builder()
                .layout(new ShopLayout(16, 2, 2, 3))
                .spares(1)
                .operators(0)
                .version(PostgresServer.Version.OLDEST)
                .listener(TOLD::add)
                .start();
    }

    @AfterAll
    static void closeWithItsLeakCheck() {
        stage.close();
    }

    @Test
    void tellsWhatItStarts() {
        assertThat(TOLD).anyMatch(line -> line.contains("3 PostgreSQL servers, 2 of them with data"));
    }

    @Test
    void putsDataOnTheFirstShardsAndNoneOnTheSpareOne() {
        assertThat(stage.shard("ds-0").query("SELECT count(*) FROM orders")).isEqualTo(List.of(List.of("48")));
        assertThat(stage.shard("ds-2").query("SELECT count(*) FROM orders")).isEqualTo(List.of(List.of("0")));
        assertThat(stage.truth().owned())
                .containsOnlyKeys("ds-0", "ds-1", "ds-2")
                .allSatisfy((shard, buckets) -> assertThat(buckets).isEmpty());
    }

    @Test
    void hasTheShippedExampleWithItsOwnEndpointsTakenByTheApiServer() {
        Eventually.until(
                "the roles to be in force",
                Duration.ofSeconds(30),
                () -> stage.people()
                        .engineer()
                        .run("auth", "can-i", "create", "shardclusters", "-n", "shop")
                        .succeeded(),
                () -> "the engineer may not create a ShardCluster");

        assertThat(stage.applyTopology(2).orThrow()).contains("orders created");

        var port = Integer.toString(stage.shard("ds-1").server().port());
        assertThat(stage.people()
                        .engineer()
                        .run(
                                "-n",
                                "shop",
                                "get",
                                "shardcluster",
                                "orders",
                                "-o",
                                "jsonpath={.spec.shards[1].instances[0].port}")
                        .orThrow())
                .isEqualTo(port);
    }

    @Test
    void letsNobodyInWithoutARole() {
        var refused = stage.people().stranger().run("-n", "shop", "get", "shardclusters");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.err()).contains("mallory", "forbidden");
    }

    @Test
    void savesWholeLogsForAPersonWhoComesLater() throws Exception {
        try (var directory = WorkDirectory.create("evidence")) {
            stage.saveEvidence(directory.path());

            try (var files = Files.list(directory.path())) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .contains("evidence.txt")
                        .anyMatch(name -> name.endsWith("kube-apiserver.log"))
                        .anyMatch(name -> name.endsWith("audit.log"))
                        .filteredOn(name -> name.endsWith("postgres.log"))
                        .hasSize(3);
            }
        }
    }

    @Test
    void showsObjectsAndNoPasswordWhenAWaitFails() {
        assertThatThrownBy(() -> stage.await("nothing", Duration.ofMillis(50), () -> false))
                .hasMessageContaining("nothing")
                .hasMessageContaining("--- events")
                .message()
                .doesNotContain(Passwords.MARK);
    }
}
