package io.shardwright.plugin.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.Shop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestTest {
    private static final String CLUSTER = Shop.clusterText(100, Map.of("ds-0", 100));

    @Test
    void otherKindsAndEmptyDocumentsAreLeftOut() {
        Manifest manifest =
                Manifest.parse("---\n# a comment\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n---\n"
                        + CLUSTER + "--- # the policy\n" + Shop.policyText("Propose", ""));

        assertThat(manifest.clusters())
                .extracting(cluster -> cluster.getMetadata().getName())
                .containsExactly("orders");
        assertThat(manifest.policies())
                .extracting(policy -> policy.getSpec().clusterRef().name())
                .containsExactly("orders");
    }

    @Test
    void aListAndJsonAreReadAsWell() {
        assertThat(Manifest.parse("""
                        {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "shardwright.io/v1alpha1", "kind": "ShardPolicy",
                          "metadata": {"name": "orders"}, "spec": {"clusterRef": {"name": "orders"}}}]}
                        """).policies()).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "weight: 100          | wieght: 100        | spec.shards[0].wieght is no field of this kind",
                "buckets: 100         | bucket: 100        | spec.sharding.bucket is no field of this kind",
                "database: shop       | {database: shop    | is neither YAML nor JSON of objects",
                "shardwright.io/v1alpha1 | shardwright.io/v9 | has apiVersion shardwright.io/v9",
                "keyType: Int64       | keyType: Int32     | ShardCluster orders cannot be read",
                "weight: 100          | weight: much       | ShardCluster orders cannot be read",
                "kind: ShardCluster   | kind: Deployment   | there is no ShardCluster and no ShardPolicy in the file",
                "name: orders, namespace | namespace        | has no metadata.name or no spec",
            })
    void whatWouldNotBeUnderstoodIsRefused(String written, String instead, String words) {
        assertThat(CLUSTER).contains(written);
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> Manifest.parse(CLUSTER.replaceFirst(java.util.regex.Pattern.quote(written), instead)))
                .withMessageContaining(words)
                .satisfies(refusal -> assertThat(refusal.nextAction()).isNotBlank());
    }

    @Test
    void theShippedExamplesAreUnderstoodToTheLastField() throws IOException {
        Path examples = Path.of("..", "manifests", "examples", "shop");

        assertThat(Manifest.parse(Files.readString(examples.resolve("five-shards.yaml")))
                        .clusters())
                .hasSize(1);
        assertThat(Manifest.parse(Files.readString(examples.resolve("policy.yaml")))
                        .policies())
                .hasSize(1);
    }

    @Test
    void everyValidClusterAndPolicyOfTheCorpusIsUnderstood() throws IOException {
        Path corpus = Path.of("..", "crds", "src", "test", "resources", "corpus");
        for (String kind : new String[] {"ShardCluster", "ShardPolicy"}) {
            try (var files = Files.list(corpus.resolve(kind))) {
                for (Path file : files.filter(
                                one -> one.getFileName().toString().startsWith("valid-"))
                        .toList()) {
                    Manifest manifest = Manifest.parse(Files.readString(file));
                    assertThat(manifest.clusters().size() + manifest.policies().size())
                            .as(file.toString())
                            .isPositive();
                }
            }
        }
    }
}
