package io.shardwright.meaning;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardRole;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A ShardCluster in the types of contract and planning. */
public final class Clusters {
    private Clusters() {}

    public static KeyType keyType(ShardClusterSpec spec) {
        return KeyType.fromWire(spec.sharding().keyType().wire());
    }

    public static Bucketing bucketing(ShardClusterSpec spec) {
        return new Bucketing(
                HashFunction.fromWire(spec.sharding().hash().wire()),
                spec.sharding().buckets());
    }

    /** What a plan of buckets depends on: the declared shards, and who owns each bucket. */
    public static PlanInputs planInputs(ShardCluster cluster, RunLengthMap<String> owners) {
        return planInputs(cluster, owners, new TreeMap<>(), new TreeMap<>(), new TreeSet<>());
    }

    /**
     * What a plan depends on: the declared shards and pins, detected keys, and who owns each bucket and each pinned key. Pins that
     * cannot be obeyed leave every key where it is.
     *
     * @param policy in force; empty = nobody has pinned anything, and nothing that is pinned is touched
     * @param detected of that policy; a pin of the spec counts before them
     */
    public static PlanInputs planInputs(
            ShardCluster cluster, RoutingTable table, Optional<ShardPolicySpec> policy, DetectedKeys detected) {
        HotKeys hotKeys = policy.map(ShardPolicySpec::hotKeys).orElse(HotKeys.NONE);
        SortedMap<Scope, String> pinned = new TreeMap<>();
        table.pinned().forEach((key, shard) -> pinned.put(hotKeys.hashKeys() ? key.hidden() : key, shard));
        Pins pins = Pins.of(hotKeys, cluster.getSpec());
        boolean obeyed = policy.isPresent() && pins.fault().isEmpty() && fits(cluster.getSpec(), table);
        if (!obeyed) {
            return planInputs(cluster, table.bucketMap(), pinned, pinned, new TreeSet<>());
        }
        SortedMap<Scope, String> wanted = new TreeMap<>(detected.wanted(hotKeys, cluster.getSpec(), pinned.keySet()));
        wanted.putAll(pins.wanted());
        SortedSet<Scope> found = detected.held(hotKeys);
        found.removeAll(pins.wanted().keySet());
        return planInputs(cluster, table.bucketMap(), wanted, pinned, found);
    }

    /** As the status of the policy in force remembers detected keys. */
    public static PlanInputs planInputs(
            ShardCluster cluster, RoutingTable table, Optional<ShardPolicy> policy, Collection<BucketMove> moves) {
        return planInputs(
                cluster,
                table,
                policy.map(ShardPolicy::getSpec),
                DetectedKeys.of(policy, KeyNames.of(cluster.getSpec(), table, policy, moves)));
    }

    /** What people have asked for: nobody has asked for what detection proposes, so its keys are wanted where they are. */
    public static PlanInputs askedFor(ShardCluster cluster, RoutingTable table, Optional<ShardPolicy> policy) {
        PlanInputs inputs = planInputs(cluster, table, policy, List.of());
        SortedMap<Scope, String> pins = new TreeMap<>(inputs.pins());
        inputs.detected().forEach(key -> {
            pins.remove(key);
            Optional.ofNullable(inputs.pinned().get(key)).ifPresent(shard -> pins.put(key, shard));
        });
        return planInputs(cluster, inputs.owners(), pins, inputs.pinned(), new TreeSet<>());
    }

    /** Keys lie in the table's buckets where the cluster says; a cluster that was made anew may declare others. */
    private static boolean fits(ShardClusterSpec spec, RoutingTable table) {
        return keyType(spec) == table.keyType() && bucketing(spec).equals(table.bucketing());
    }

    private static PlanInputs planInputs(
            ShardCluster cluster,
            RunLengthMap<String> owners,
            SortedMap<Scope, String> pins,
            SortedMap<Scope, String> pinned,
            SortedSet<Scope> detected) {
        SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
        cluster.getSpec()
                .shards()
                .forEach(shard -> shards.put(
                        shard.name(),
                        new PlanInputs.Shard(ShardRole.fromWire(shard.role().wire()), shard.weight())));
        return new PlanInputs(cluster.getMetadata().getName(), shards, owners, pins, pinned, detected);
    }

    /** The operator has looked at the newest spec. */
    public static boolean observed(ShardCluster cluster) {
        return cluster.getStatus() != null
                && cluster.getMetadata()
                        .getGeneration()
                        .equals(cluster.getStatus().observedGeneration());
    }

    /** Why an observed cluster is not planned for; empty when nothing keeps the operator from it but a missing table. */
    public static Optional<String> unfit(ShardCluster cluster) {
        return Stream.of(ConditionType.ACCEPTED, ConditionType.FENCE_INSTALLED)
                .filter(type -> !Conditions.isTrue(cluster.getStatus().conditions(), type))
                .findFirst()
                .map(type -> type.wire() + " is not True");
    }
}
