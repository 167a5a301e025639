package io.shardwright.planning.placement;

import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardRole;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything a plan depends on, and nothing else: no sizes, no timings, no clock. So the same inputs give the same plan
 * and the same hash, in the operator and in a plugin.
 *
 * @param cluster name of the ShardCluster
 * @param shards by name
 * @param owners owner of each bucket, from the fences
 * @param pins canonical key text to Dedicated shard
 */
public record PlanInputs(
        String cluster, SortedMap<String, Shard> shards, RunLengthMap<String> owners, SortedMap<String, String> pins) {
    public PlanInputs {
        shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
        pins = Collections.unmodifiableSortedMap(new TreeMap<>(pins));
    }

    /** @param weight 0..1000; 0 = drain */
    public record Shard(ShardRole role, int weight) {
        public static Shard general(int weight) {
            return new Shard(ShardRole.GENERAL, weight);
        }

        /** Takes buckets: General, and not being drained. */
        boolean takesBuckets() {
            return role == ShardRole.GENERAL && weight > 0;
        }
    }

    /** The same inputs with other owners of some buckets. */
    PlanInputs withOwners(SortedMap<Integer, String> changed) {
        List<String> next = new ArrayList<>(owners.values());
        changed.forEach(next::set);
        return new PlanInputs(cluster, shards, RunLengthMap.of(next), pins);
    }
}
