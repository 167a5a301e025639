package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.ShardSight;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the last look at all shards of a cluster showed; immutable.
 *
 * @param target what was looked at
 * @param shards one sight per declared shard
 * @param fresh false after something was done to the shards that this look has not seen
 */
public record ClusterSight(ClusterTarget target, SortedMap<String, ShardSight> shards, boolean fresh) {
    public ClusterSight {
        shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
    }

    ClusterSight outdated() {
        return new ClusterSight(target, shards, false);
    }

    ClusterSight without(Set<String> names) {
        SortedMap<String, ShardSight> rest = new TreeMap<>(shards);
        rest.keySet().removeAll(names);
        return new ClusterSight(target, rest, fresh);
    }

    /** The same view of the same shards. */
    boolean shows(ClusterSight other) {
        return other != null && target.equals(other.target) && shards.equals(other.shards);
    }
}
