package io.shardwright.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoliciesTest {
    private static final ShardPolicy FIRST = policy("b-first", "orders", "2026-03-01T08:00:00Z");
    private static final ShardPolicy SECOND = policy("a-second", "orders", "2026-03-01T09:00:00Z");
    private static final ShardPolicy TWIN = policy("c-twin", "orders", "2026-03-01T08:00:00Z");
    private static final ShardPolicy OTHER = policy("older", "billing", "2026-02-01T08:00:00Z");

    @Test
    void theOldestPolicyOfTheClusterIsInForce() {
        assertThat(Policies.inForce(List.of(SECOND, FIRST, OTHER), "orders")).contains(FIRST);
    }

    @Test
    void ofTwoOfTheSameAgeTheFirstByNameIs() {
        assertThat(Policies.inForce(List.of(TWIN, FIRST), "orders")).contains(FIRST);
    }

    @Test
    void aClusterWithoutAPolicyHasTheDefaults() {
        assertThat(Policies.inForce(List.of(OTHER), "orders")).isEmpty();
        assertThat(Policies.specOf(Optional.empty()).rebalancing().tolerance()).isEqualTo("10%");
    }

    private static ShardPolicy policy(String name, String cluster, String created) {
        return Serialization.unmarshal("""
                metadata: {name: %s, namespace: shop, creationTimestamp: "%s"}
                spec: {clusterRef: {name: %s}}
                """.formatted(name, created, cluster), ShardPolicy.class);
    }
}
