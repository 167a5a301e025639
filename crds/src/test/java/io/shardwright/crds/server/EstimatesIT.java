package io.shardwright.crds.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.servers.CommandResult;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whoever applies another topology is warned of what it moves, and refused nothing. */
@ExtendWith(InstalledApi.class)
class EstimatesIT {
    private static final String NAMESPACE = "estimates";
    private static final Path SHOP = Path.of("..", "manifests", "examples", "shop");
    private static final String TWENTY =
            "nothing is refused; about 20 of 100 buckets would move: 5 from ds-0, 5 from ds-1, 5 from ds-2, 5 from ds-3;"
                    + " the exact plan: kubectl shardwright plan orders -n estimates";

    private static ControlPlane plane;
    private static KubernetesClient admin;

    @BeforeAll
    static void fourShardsWithTwentyFiveBucketsEach(ControlPlane installed) throws IOException {
        plane = installed;
        admin = plane.adminClient();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        assertThat(apply(topology("four-shards.yaml")).err()).isEmpty();
        assertThat(dryRun(topology("five-shards.yaml")).err())
                .as("nothing is known yet")
                .isEmpty();
        look("ds-0", "ds-1", "ds-2", "ds-3");
        Eventually.until(
                "the policy to be in force",
                Duration.ofSeconds(60),
                () -> !warning(topology("five-shards.yaml")).isEmpty(),
                () -> "no warning");
    }

    private static String topology(String file) {
        try {
            return Files.readString(SHOP.resolve(file)).replace("namespace: shop", "namespace: " + NAMESPACE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String weighted(String shard, int weight) {
        return topology("four-shards.yaml")
                .replace("- name: " + shard + "\n", "- name: " + shard + "\n    weight: " + weight + "\n");
    }

    private static CommandResult apply(String yaml) {
        return plane.kubectl(plane.adminKubeconfig()).runWithInput(yaml, "apply", "-f", "-");
    }

    private static CommandResult dryRun(String yaml) {
        CommandResult result =
                plane.kubectl(plane.adminKubeconfig()).runWithInput(yaml, "apply", "--dry-run=server", "-f", "-");
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result;
    }

    /** What follows the words of the API server, which says of a warning that the validation failed; empty without one. */
    private static String warning(String yaml) {
        return dryRun(yaml).err().strip().replaceFirst("^Warning: .* with binding '[a-z-]+': ", "");
    }

    /** What the operator would have found: 25 buckets on each. */
    private static void look(String... shards) {
        var found = new StringBuilder("shards:\n");
        for (String shard : shards) {
            found.append("  ").append(shard).append(": {state: Reachable, buckets: 25}\n");
        }
        admin.resources(ShardCluster.class)
                .inNamespace(NAMESPACE)
                .withName("orders")
                .editStatus(cluster -> {
                    cluster.setStatus(Serialization.unmarshal(found.toString(), ShardClusterStatus.class));
                    return cluster;
                });
    }

    @Test
    void aFifthShardTakesItsShareFromAllOthers() {
        assertThat(warning(topology("five-shards.yaml"))).isEqualTo(TWENTY);
    }

    @Test
    void aDrainedShardGivesAllAway() {
        assertThat(warning(weighted("ds-3", 0)))
                .startsWith("nothing is refused; about 25 of 100 buckets would move: 25 from ds-3; the exact plan:");
    }

    @Test
    void aHeavierShardTakesFromTheOthers() {
        assertThat(warning(weighted("ds-0", 200)))
                .startsWith(
                        "nothing is refused; about 15 of 100 buckets would move: 5 from ds-1, 5 from ds-2, 5 from ds-3; ");
    }

    @Test
    void whatMovesNothingWarnsOfNothing() {
        assertThat(warning(topology("four-shards.yaml"))).isEmpty();
        assertThat(warning(topology("four-shards.yaml").replace("ds-3-a.db", "ds-3-b.db")))
                .isEmpty();
        assertThat(warning(weighted("ds-0", 101))).as("less than a bucket").isEmpty();
    }
}
