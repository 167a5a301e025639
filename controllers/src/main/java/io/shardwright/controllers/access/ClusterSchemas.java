package io.shardwright.controllers.access;

import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.meaning.Clusters;

/** What a ShardCluster declares of its tables, in the words of the databases. */
public final class ClusterSchemas {
    private ClusterSchemas() {}

    public static ShardedSchema schema(ShardClusterSpec spec) {
        return new ShardedSchema(
                Clusters.keyType(spec),
                Clusters.bucketing(spec),
                spec.sharding().tables().stream()
                        .map(table -> new ShardedSchema.Table(table.schema(), table.name(), table.shardKey()))
                        .toList(),
                spec.sharding().referenceTables());
    }
}
