package io.shardwright.plugin.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.shardpolicy.OperatorsPlan;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.plugin.Shop;
import io.shardwright.plugin.text.Buckets;
import io.shardwright.plugin.text.Format;
import io.shardwright.routing.RunLengthMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * What the plugin prints is what the operator computes: the hash and every move, for the objects as they are and for a file that
 * would make them so. Topologies are random: 1 to 8 shards with weights, drained and dedicated ones among them, up to 128 buckets
 * that lie anywhere.
 */
class SamePlanTest {
    @Property(tries = 60)
    void pluginAndOperatorMakeTheSamePlan(@ForAll long seed) {
        Random random = new Random(seed);
        int buckets = 1 + random.nextInt(128);
        Map<String, Integer> shards = shards(random);
        RoutingTable table = table(random, buckets, List.copyOf(shards.keySet()));
        ShardCluster cluster = Shop.cluster(buckets, shards);
        ShardPolicy policy = policy(random);
        Optional<Plan> operators = OperatorsPlan.of(cluster, policy, table);

        PlanView stored = PlanReading.view(objects(cluster, policy, table), Manifest.NONE);
        PlanView ofFile = PlanReading.view(
                objects(Shop.cluster(buckets, all(shards)), policy, table),
                Manifest.parse(Shop.clusterText(buckets, shards)));

        assertThat(Optional.ofNullable(stored.plan())).isEqualTo(operators);
        assertThat(Optional.ofNullable(ofFile.plan())).isEqualTo(operators);
        assertThat(ofFile.hash()).isEqualTo(stored.hash());
        operators.ifPresent(plan -> isPrinted(plan, stored));
    }

    /** Not only computed: in the text that people read and in the JSON that programs read. */
    private static void isPrinted(Plan plan, PlanView view) {
        assertThat(view.hash()).isEqualTo(plan.hash());
        assertThat(view.text()).contains("plan " + plan.hash());
        List<String> lines =
                view.text().lines().map(line -> line.replaceAll(" +", " ")).toList();
        plan.moves()
                .forEach(move -> assertThat(lines)
                        .contains(move.from() + " " + move.to() + " "
                                + (move.buckets().size() + move.keys().size())
                                + " " + Buckets.text(move.buckets()) + String.join(",", move.keys())));
        ObjectNode json = Serialization.unmarshal(Format.JSON.of(view), ObjectNode.class);
        assertThat(json.get("hash").asText()).isEqualTo(plan.hash());
        assertThat(Serialization.unmarshal(json.get("plan").toString(), Plan.class))
                .isEqualTo(plan);
    }

    private static Map<String, Integer> shards(Random random) {
        Map<String, Integer> shards = new TreeMap<>();
        shards.put("ds-0", 1 + random.nextInt(1000));
        for (int i = random.nextInt(8); i > 0; i--) {
            shards.put("ds-" + i, random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(1000));
        }
        if (random.nextBoolean()) {
            shards.put("ds-hot", 100);
        }
        return shards;
    }

    /** The same shards before somebody has changed their weights. */
    private static Map<String, Integer> all(Map<String, Integer> shards) {
        Map<String, Integer> before = new TreeMap<>(shards);
        before.replaceAll((name, weight) -> 100);
        return before;
    }

    private static RoutingTable table(Random random, int buckets, List<String> shards) {
        List<String> owners = new ArrayList<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            owners.add(shards.get(random.nextInt(shards.size())));
        }
        return Shop.table(
                RunLengthMap.of(owners).encode(), buckets, "pins: {" + pinned(random, shards.contains("ds-hot")) + "}");
    }

    private static String pinned(Random random, boolean dedicated) {
        return dedicated && random.nextBoolean() ? "'7': ds-hot, '42': ds-hot" : "";
    }

    /** Keys that are pinned already, others, and at times one that cannot be. */
    private static String pins(Random random) {
        String hidden = "hashKeys: " + random.nextBoolean();
        return switch (random.nextInt(4)) {
            case 0 -> "{" + hidden + "}";
            case 1 -> "{" + hidden + ", pins: [{key: '7', shard: ds-hot}, {key: '042', shard: ds-hot}]}";
            case 2 -> "{" + hidden + ", pins: [{key: '8', shard: ds-hot}, {key: '42', shard: ds-hot}]}";
            default -> "{" + hidden + ", pins: [{key: '8', shard: ds-0}]}";
        };
    }

    private static ShardPolicy policy(Random random) {
        String tolerance = "tolerance: " + random.nextInt(40) + "%, mode:";
        String hotKeys = pins(random).replace("{hashKeys", "{" + detection(random) + "hashKeys");
        return Serialization.unmarshal(
                Shop.policyText("Propose", "")
                                .replace("mode:", tolerance)
                                .replace("rebalancing:", "hotKeys: " + hotKeys + ", rebalancing:")
                        + (hotKeys.contains("hashKeys: true") ? "" : "status: {hotKeys: [" + hot(random) + "]}\n"),
                ShardPolicy.class);
    }

    private static String detection(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> "detection: {mode: 'Off', targets: [ds-hot]}, ";
            case 2 -> "detection: {mode: Automatic, targets: [ds-hot]}, ";
            default -> "detection: {targets: [ds-hot]}, ";
        };
    }

    /** Detected keys as a status remembers them: some of those that are pinned, and others. */
    private static String hot(Random random) {
        List<String> keys = new ArrayList<>();
        for (String key : List.of("7", "8", "42", "43")) {
            String state = List.of(
                            "Candidate, reason: MaxPins, shard: ds-0",
                            "Proposed, reason: AboveThreshold, shard: ds-0, target: ds-hot",
                            "Pinned, reason: Served, shard: ds-hot, target: ds-hot",
                            "CoolingDown, reason: BelowHalf, shard: ds-hot, target: ds-hot",
                            "CoolingDown, reason: GoingHome, shard: ds-hot, target: ds-hot")
                    .get(random.nextInt(5));
            if (random.nextBoolean()) {
                keys.add("{key: '" + key + "', detected: true, since: '2026-03-01T08:00:00Z', state: " + state + "}");
            }
        }
        return String.join(", ", keys);
    }

    private static Stored objects(ShardCluster cluster, ShardPolicy policy, RoutingTable table) {
        return new Stored("shop", "orders", Optional.of(cluster), List.of(policy), Optional.of(table), List.of());
    }
}
