package io.shardwright.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.planning.placement.PlanHash;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardRole;
import org.junit.jupiter.api.Test;

class ClustersTest {
    private static final String GOOD = """
            observedGeneration: 1
              conditions:
              - {type: Accepted, status: "True", reason: Accepted, message: "", lastTransitionTime: ""}
              - {type: FenceInstalled, status: "True", reason: Installed, message: "", lastTransitionTime: ""}
            """;

    @Test
    void whatAPersonLeavesOutIsPlannedWithItsDefault() {
        RunLengthMap<String> owners = RunLengthMap.parse("ds-0*8", 8, owner -> owner);

        PlanInputs written = Clusters.planInputs(cluster("{name: ds-0, weight: 100, role: General}", GOOD), owners);
        PlanInputs bare = Clusters.planInputs(cluster("{name: ds-0}", GOOD), owners);

        assertThat(bare).isEqualTo(written);
        assertThat(PlanHash.of(bare)).isEqualTo(PlanHash.of(written));
        assertThat(bare.cluster()).isEqualTo("orders");
    }

    @Test
    void weightAndRoleOfAShardArePlannedWith() {
        PlanInputs inputs = Clusters.planInputs(
                cluster("{name: ds-0}, {name: ds-hot, role: Dedicated, weight: 7}", GOOD),
                RunLengthMap.parse("ds-0*8", 8, owner -> owner));

        assertThat(inputs.shards().get("ds-hot")).isEqualTo(new PlanInputs.Shard(ShardRole.DEDICATED, 7));
    }

    @Test
    void keysAreHashedAsTheClusterDeclares() {
        ShardCluster cluster = cluster("{name: ds-0}", GOOD);

        assertThat(Clusters.keyType(cluster.getSpec())).isEqualTo(KeyType.INT64);
        assertThat(Clusters.bucketing(cluster.getSpec()).buckets()).isEqualTo(8);
    }

    @Test
    void aStatusOfAnOlderSpecIsNoObservation() {
        assertThat(Clusters.observed(cluster("{name: ds-0}", GOOD))).isTrue();
        assertThat(Clusters.observed(
                        cluster("{name: ds-0}", GOOD.replace("observedGeneration: 1", "observedGeneration: 0"))))
                .isFalse();
        ShardCluster fresh = cluster("{name: ds-0}", GOOD);
        fresh.setStatus(null);
        assertThat(Clusters.observed(fresh)).isFalse();
    }

    @Test
    void aClusterIsPlannedForWhenItIsAcceptedAndFenced() {
        assertThat(Clusters.unfit(cluster("{name: ds-0}", GOOD))).isEmpty();
        assertThat(Clusters.unfit(cluster(
                        "{name: ds-0}",
                        GOOD.replace("FenceInstalled, status: \"True\"", "FenceInstalled, status: Unknown"))))
                .contains("FenceInstalled is not True");
        assertThat(Clusters.unfit(cluster("{name: ds-0}", "observedGeneration: 1")))
                .contains("Accepted is not True");
    }

    private static ShardCluster cluster(String shards, String status) {
        return Serialization.unmarshal("""
                metadata: {name: orders, namespace: shop, generation: 1}
                spec:
                  sharding: {buckets: 8, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
                  shards: [%s]
                status:
                  %s
                """.formatted(shards, status), ShardCluster.class);
    }
}
