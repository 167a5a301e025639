package io.shardwright.meaning;

import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The shards of a cluster that keys may be pinned to. */
final class DedicatedShards {
    private static final int MOST_NAMED = 10;

    private DedicatedShards() {}

    static boolean isDedicated(String name, ShardClusterSpec cluster) {
        return cluster.shard(name)
                .filter(one -> one.role() == Shard.Role.DEDICATED)
                .isPresent();
    }

    /** Why a key cannot be pinned to it, and to which it can; empty when it can. */
    static Optional<String> fault(String name, ShardClusterSpec cluster) {
        Optional<Shard> shard = cluster.shard(name);
        boolean dedicated = isDedicated(name, cluster);
        if (dedicated && shard.get().weight() > 0) {
            return Optional.empty();
        }
        String what = shard.isEmpty()
                ? "there is no shard " + name
                : name
                        + (dedicated
                                ? " is drained (weight 0) and takes no keys, take its pins away"
                                : " is a General shard, and pins lead to Dedicated ones");
        return Optional.of(what + ": " + advice(cluster));
    }

    private static String advice(ShardClusterSpec cluster) {
        List<String> takers = new ArrayList<>(cluster.shards().stream()
                .filter(one -> one.role() == Shard.Role.DEDICATED && one.weight() > 0)
                .map(Shard::name)
                .sorted()
                .toList());
        if (takers.isEmpty()) {
            return "the ShardCluster has no Dedicated shard that takes keys, add one (role: Dedicated)";
        }
        return "name one of its Dedicated shards: "
                + String.join(", ", takers.subList(0, Math.min(MOST_NAMED, takers.size())))
                + (takers.size() > MOST_NAMED ? " and " + (takers.size() - MOST_NAMED) + " more" : "");
    }
}
