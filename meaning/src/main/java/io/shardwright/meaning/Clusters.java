package io.shardwright.meaning;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardRole;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
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
        return planInputs(cluster, owners, new TreeMap<>(), new TreeMap<>());
    }

    /**
     * What a plan depends on: the declared shards and pins, and who owns each bucket and each pinned key. Pins that cannot be
     * obeyed leave every key where it is.
     *
     * @param policy in force; empty = nobody has pinned anything, and nothing that is pinned is touched
     */
    public static PlanInputs planInputs(ShardCluster cluster, RoutingTable table, Optional<ShardPolicySpec> policy) {
        HotKeys hotKeys = policy.map(ShardPolicySpec::hotKeys).orElse(HotKeys.NONE);
        SortedMap<Scope, String> pinned = new TreeMap<>();
        table.pinned().forEach((key, shard) -> pinned.put(hotKeys.hashKeys() ? key.hidden() : key, shard));
        Pins pins = Pins.of(hotKeys, cluster.getSpec());
        boolean obeyed = policy.isPresent() && pins.fault().isEmpty() && fits(cluster.getSpec(), table);
        return planInputs(cluster, table.bucketMap(), obeyed ? pins.wanted() : pinned, pinned);
    }

    /** Keys lie in the table's buckets where the cluster says; a cluster that was made anew may declare others. */
    private static boolean fits(ShardClusterSpec spec, RoutingTable table) {
        return keyType(spec) == table.keyType() && bucketing(spec).equals(table.bucketing());
    }

    private static PlanInputs planInputs(
            ShardCluster cluster,
            RunLengthMap<String> owners,
            SortedMap<Scope, String> pins,
            SortedMap<Scope, String> pinned) {
        SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
        cluster.getSpec()
                .shards()
                .forEach(shard -> shards.put(
                        shard.name(),
                        new PlanInputs.Shard(ShardRole.fromWire(shard.role().wire()), shard.weight())));
        return new PlanInputs(cluster.getMetadata().getName(), shards, owners, pins, pinned);
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
