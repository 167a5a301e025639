package io.shardwright.crds.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Kubectl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The shipped examples as a user meets them, with kubectl. */
@ExtendWith(InstalledApi.class)
class ExamplesIT {
    private static final Path SHOP = Path.of("..", "manifests", "examples", "shop");

    private static Kubectl kubectl;

    @BeforeAll
    static void applyTheShop(ControlPlane plane) {
        kubectl = plane.kubectl(plane.adminKubeconfig());
        kubectl.run("apply", "-k", SHOP.toString()).orThrow();
        kubectl.run("apply", "-f", SHOP.resolve("five-shards.yaml").toString()).orThrow();
    }

    @Test
    void oneCategoryShowsAllKinds() {
        String shown =
                kubectl.run("get", "shardwright", "-n", "shop", "-o", "name").orThrow();

        assertThat(shown.lines()).contains("shardcluster.shardwright.io/orders", "shardpolicy.shardwright.io/orders");
    }

    @Test
    void columnsAreThoseOfTheDesignInItsOrder() {
        assertThat(columns("shc"))
                .containsExactly(
                        "NAME", "ENGINE", "SHARDS", "BUCKETS", "REVISION", "ACKED", "READY", "ACTIVITY", "AGE");
        assertThat(columns("shp")).containsExactly("NAME", "CLUSTER", "MODE", "PLAN", "APPROVED", "AGE");
        kubectl.runWithInput("""
                        apiVersion: shardwright.io/v1alpha1
                        kind: BucketMove
                        metadata: {name: by-hand, namespace: shop}
                        spec: {clusterRef: {name: orders}, from: ds-0, to: ds-4, buckets: [3, 17]}
                        """, "apply", "-f", "-").orThrow();
        assertThat(columns("bm"))
                .containsExactly("NAME", "FROM", "TO", "BUCKETS", "PHASE", "ROWS", "LAG", "HOLD", "AGE");
    }

    @Test
    void defaultsAreShownAsTheyAreObeyed() {
        assertThat(kubectl.run("get", "shp", "orders", "-n", "shop", "-o", "jsonpath={.spec.rebalancing.pauseMax}")
                        .orThrow())
                .isEqualTo("2s");
        assertThat(kubectl.run("get", "shp", "orders", "-n", "shop", "-o", "jsonpath={.spec.rebalancing.soak}")
                        .orThrow())
                .isEqualTo("1h");
        assertThat(kubectl.run("get", "shc", "orders", "-n", "shop", "-o", "jsonpath={.spec.shards[4].weight}")
                        .orThrow())
                .isEqualTo("100");
    }

    @Test
    void theWindowsThatTheExampleSuggestsAreAcceptedAsTheyStand() throws IOException {
        String suggested = Files.readString(SHOP.resolve("policy.yaml"))
                .replaceFirst("name: orders", "name: nightly")
                .replaceAll("(?m)^  # (windows:|freezes:|- )", "  $1");

        kubectl.runWithInput(suggested, "apply", "-f", "-").orThrow();

        assertThat(kubectl.run("get", "shp", "nightly", "-n", "shop", "-o", "jsonpath={.spec.windows[0].timeZone}")
                        .orThrow())
                .isEqualTo("Asia/Seoul");
        assertThat(kubectl.run("get", "shp", "nightly", "-n", "shop", "-o", "jsonpath={.spec.freezes[0].reason}")
                        .orThrow())
                .isEqualTo("holidays");
    }

    @Test
    void explainTellsWhatAFieldIsFor() {
        assertThat(kubectl.run("explain", "shardpolicy.spec.rebalancing.writeHoldBudget")
                        .orThrow())
                .contains("Longest pause that a switch may cause to writers");
    }

    private static List<String> columns(String kind) {
        String header = kubectl.run("get", kind, "-n", "shop")
                .orThrow()
                .lines()
                .findFirst()
                .orElseThrow();
        return Arrays.asList(header.strip().split("\\s+"));
    }
}
