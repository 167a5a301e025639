package io.shardwright.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eight buckets by remainder; ds-0 and ds-1 are General, ds-hot and ds-warm Dedicated, ds-cold is Dedicated and drained. */
class PinsTest {
    @Test
    void keysAreTakenInTheirCanonicalText() {
        Pins pins = pins("Int64", "[{key: '042', shard: ds-hot}, {key: '-7', shard: ds-warm}]");

        assertThat(pins.fault()).isEmpty();
        assertThat(pins.wanted()).isEqualTo(Map.of(Scope.key("42", 2), "ds-hot", Scope.key("-7", 1), "ds-warm"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{key: '42', shard: ds-9} | spec.hotKeys.pins[0].shard: there is no shard ds-9: name one of its Dedicated shards: ds-hot, ds-warm",
                "{key: '42', shard: ds-0} | spec.hotKeys.pins[0].shard: ds-0 is a General shard, and pins lead to Dedicated ones: name one of its Dedicated shards: ds-hot, ds-warm",
                "{key: '42', shard: ds-cold} | spec.hotKeys.pins[0].shard: ds-cold is drained (weight 0) and takes no keys, take its pins away: name one of its Dedicated shards: ds-hot, ds-warm",
                "{key: kim, shard: ds-hot} | spec.hotKeys.pins[0].key: 'kim' is no key of type Int64: write a whole number of 64 bits, like '42'",
                "{key: '1', shard: ds-hot}, {key: '42', shard: ds-hot}, {key: '0042', shard: ds-hot} | spec.hotKeys.pins[2].key: it is the key of spec.hotKeys.pins[1] in another spelling: leave one of them"
            })
    void aPinThatCannotBeObeyedIsNamedByItsPathWithAdvice(String written, String fault) {
        Pins pins = pins("Int64", "[" + written + "]");

        assertThat(pins.fault()).contains(fault);
        assertThat(pins.wanted()).isEmpty();
    }

    /** A table that has grown too large could not be made smaller by moves any more: none would be admitted. */
    @Test
    void pinsThatWouldFillTheRoutingTableAreRefusedTogether() {
        String pins = IntStream.range(0, 4_000)
                .mapToObj(key -> "{key: '" + "k".repeat(100) + key + "', shard: ds-hot}")
                .collect(Collectors.joining(", ", "[", "]"));

        assertThat(pins("String", pins).fault().orElseThrow())
                .startsWith("spec.hotKeys.pins: they would take 4")
                .endsWith(" KiB of the routing table, and may take 400: pin fewer keys, or shorter ones");
    }

    @Test
    void withoutADedicatedShardTheAdviceIsToAddOne() {
        ShardCluster bare = cluster("Int64", "{name: ds-0}");

        assertThat(Pins.of(
                                policy("{pins: [{key: '42', shard: ds-hot}]}")
                                        .getSpec()
                                        .hotKeys(),
                                bare.getSpec())
                        .fault())
                .get()
                .asString()
                .endsWith("add one (role: Dedicated)");
    }

    @Test
    void aHiddenKeyIsSpeltNowhere() {
        Pins pins = Pins.of(
                policy("{hashKeys: true, pins: [{key: kim, shard: ds-hot}]}")
                        .getSpec()
                        .hotKeys(),
                cluster("Int64").getSpec());
        PlanInputs inputs = Clusters.planInputs(
                cluster("Int64"), table("42", "ds-hot"), Optional.of(policy("{hashKeys: true}")), List.of());

        assertThat(pins.fault())
                .get()
                .asString()
                .contains("pins[0].key: the text is no key")
                .doesNotContain("kim");
        assertThat(inputs.pinned())
                .hasToString("{sha256:73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049=ds-hot}");
    }

    @Test
    void aFaultLeavesEveryKeyWhereItIs() {
        ShardPolicy misspelt = policy("{pins: [{key: '42', shard: ds-hott}]}");
        ShardPolicy none = policy("{}");

        PlanInputs kept =
                Clusters.planInputs(cluster("Int64"), table("42", "ds-hot"), Optional.of(misspelt), List.of());
        PlanInputs removed = Clusters.planInputs(cluster("Int64"), table("42", "ds-hot"), Optional.of(none), List.of());
        PlanInputs nobody = Clusters.planInputs(cluster("Int64"), table("42", "ds-hot"), Optional.empty(), List.of());

        assertThat(kept.pins()).isEqualTo(kept.pinned()).isEqualTo(Map.of(Scope.key("42", 2), "ds-hot"));
        assertThat(removed.pins()).isEmpty();
        assertThat(removed.pinned()).hasSize(1);
        assertThat(nobody.pins()).isEqualTo(nobody.pinned());
    }

    private static Pins pins(String type, String pins) {
        return Pins.of(
                policy("{pins: " + pins + "}").getSpec().hotKeys(),
                cluster(type).getSpec());
    }

    private static ShardPolicy policy(String hotKeys) {
        return Serialization.unmarshal(
                "spec: {clusterRef: {name: orders}, hotKeys: " + hotKeys + "}", ShardPolicy.class);
    }

    private static ShardCluster cluster(String type) {
        return cluster(
                type,
                "{name: ds-0}, {name: ds-1}, {name: ds-warm, role: Dedicated}, {name: ds-hot, role: Dedicated},"
                        + " {name: ds-cold, role: Dedicated, weight: 0}");
    }

    private static ShardCluster cluster(String type, String shards) {
        return Serialization.unmarshal("""
                metadata: {name: orders}
                spec:
                  sharding: {buckets: 8, hash: Modulo, keyType: %s, tables: [{name: orders, shardKey: tenant_id}]}
                  shards: [%s]
                """.formatted(type, shards), ShardCluster.class);
    }

    private static RoutingTable table(String key, String shard) {
        return ShopTables.table("ds-0*8", Map.of(key, shard));
    }
}
