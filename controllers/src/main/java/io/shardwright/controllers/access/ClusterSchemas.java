package io.shardwright.controllers.access;

import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardRole;
import java.util.SortedMap;
import java.util.TreeMap;

/** The words of a ShardCluster in the types of the contract. */
public final class ClusterSchemas {
    private ClusterSchemas() {}

    public static ShardedSchema schema(ShardClusterSpec spec) {
        return new ShardedSchema(
                keyType(spec),
                bucketing(spec),
                spec.sharding().tables().stream()
                        .map(table -> new ShardedSchema.Table(table.schema(), table.name(), table.shardKey()))
                        .toList(),
                spec.sharding().referenceTables());
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

    public static KeyType keyType(ShardClusterSpec spec) {
        return KeyType.fromWire(spec.sharding().keyType().wire());
    }
}
