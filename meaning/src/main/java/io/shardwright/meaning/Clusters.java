package io.shardwright.meaning;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RunLengthMap;
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

    /** What a plan depends on: the declared shards, and who owns each bucket. */
    public static PlanInputs planInputs(ShardCluster cluster, RunLengthMap<String> owners) {
        SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
        cluster.getSpec()
                .shards()
                .forEach(shard -> shards.put(
                        shard.name(),
                        new PlanInputs.Shard(ShardRole.fromWire(shard.role().wire()), shard.weight())));
        return new PlanInputs(cluster.getMetadata().getName(), shards, owners, new TreeMap<>());
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
