package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.RoutingTable;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Shards that own nothing and that no move needs, like one that was just added. What a look shows to be wrong with one of them
 * alone holds what concerns it, and nobody else: the others are fenced, published and moved as if it were not there. What only
 * a comparison with the others shows (definitions that differ, rows of buckets that others own) is a fault of the cluster.
 */
final class IdleShards {
    private IdleShards() {}

    /** By shard, why it cannot be used. Without a table every shard is needed: its rows decide what is adopted. */
    static SortedMap<String, ClusterPlan.Refuse> unfit(ClusterObservation seen) {
        SortedMap<String, ClusterPlan.Refuse> unfit = new TreeMap<>();
        if (seen.table().isEmpty() || seen.sight().isEmpty()) {
            return unfit;
        }
        Set<String> needed = needed(seen, seen.table().get());
        ShardIdentities identities = new ShardIdentities(seen);
        for (ShardSight sight : seen.sight().get().shards().values()) {
            if (!needed.contains(sight.shard())) {
                ClusterChecks.unusable(sight)
                        .or(() -> identities.fault(sight))
                        .map(ClusterPlan.Refuse.class::cast)
                        .ifPresent(refuse -> unfit.put(sight.shard(), refuse));
            }
        }
        return unfit;
    }

    private static Set<String> needed(ClusterObservation seen, RoutingTable table) {
        Set<String> needed = new HashSet<>(table.bucketMap().values());
        needed.addAll(table.pins().values());
        table.handovers().forEach(handover -> needed.add(handover.to()));
        seen.begun().forEach(move -> needed.addAll(Set.of(move.from(), move.to())));
        Optional.ofNullable(seen.cluster().getStatus())
                .map(ShardClusterStatus::shards)
                .orElse(Map.of())
                .forEach((shard, finding) -> {
                    boolean owns = finding.buckets() != null && finding.buckets() > 0;
                    if (owns || finding.pins() != null && finding.pins() > 0) {
                        needed.add(shard);
                    }
                });
        return needed;
    }
}
