package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardedSchema;
import java.util.List;

/** Which shards to look at, with which logins, for which tables. */
public record ClusterTarget(List<ShardAccess> shards, ShardedSchema schema) {
    public ClusterTarget {
        shards = List.copyOf(shards);
    }
}
