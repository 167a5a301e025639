package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.dataplane.Placement;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** What people are told about buckets that lie on more than one shard: counts, example keys, and a way out. */
final class Misplacement {
    private static final int EXAMPLES = 10;

    private final Bucketing bucketing;
    private final KeyType keyType;
    private final Set<String> takers;
    private final SortedMap<String, Placement> found;

    /** @param takers shards that may hold buckets */
    Misplacement(Bucketing bucketing, KeyType keyType, Set<String> takers, SortedMap<String, Placement> found) {
        this.bucketing = bucketing;
        this.keyType = keyType;
        this.takers = takers;
        this.found = found;
    }

    /** @param installed whether there is a fence already, that refuses nothing of what is told here */
    ClusterPlan.Refuse refuse(SortedMap<Integer, SortedSet<String>> misplaced, boolean installed) {
        return new ClusterPlan.Refuse(
                ConditionType.FENCE_INSTALLED,
                Reason.MISPLACED_KEYS,
                describe(misplaced)
                        + (installed
                                ? "; no write of them is refused, no row was touched and no routing table is published"
                                : "; nothing was installed and no row was touched"),
                advice());
    }

    private String describe(SortedMap<Integer, SortedSet<String>> misplaced) {
        List<String> lines = new ArrayList<>();
        int examples = 0;
        for (int bucket : misplaced.keySet()) {
            List<String> shards = new ArrayList<>();
            for (String shard : misplaced.get(bucket)) {
                List<String> keys = examples(shard, bucket, EXAMPLES - examples);
                examples += keys.size();
                shards.add(shard + " " + rows(shard, bucket) + " rows"
                        + (keys.isEmpty() ? "" : " (keys " + String.join(", ", keys) + ")"));
            }
            lines.add("bucket " + bucket + ": " + String.join(", ", shards));
            if (examples >= EXAMPLES || lines.size() == EXAMPLES) {
                break;
            }
        }
        String rest =
                misplaced.size() > lines.size() ? "; and " + (misplaced.size() - lines.size()) + " more buckets" : "";
        return misplaced.size() + " of " + bucketing.buckets()
                + " buckets have rows on more than one shard, or on a shard that takes no buckets: "
                + String.join("; ", lines) + rest;
    }

    private List<String> examples(String shard, int bucket, int limit) {
        return found.get(shard).exampleKeys().getOrDefault(bucket, List.of()).stream()
                .limit(Math.min(limit, 3))
                .toList();
    }

    private long rows(String shard, int bucket) {
        return found.get(shard).rowsPerBucket().getOrDefault(bucket, 0L);
    }

    private String advice() {
        if (bucketing.hash() == HashFunction.MD5 && keyType == KeyType.INT64 && moduloFits()) {
            return "the data fits hash: Modulo with buckets: " + bucketing.buckets()
                    + " as it lies: create the ShardCluster anew with these, or bring each bucket's rows to one shard";
        }
        return "bring the rows of each bucket to one shard (they are never deleted or overwritten here), or choose buckets"
                + " and hash that fit the data as it lies";
    }

    private boolean moduloFits() {
        SortedMap<Integer, String> owner = new TreeMap<>();
        boolean[] fits = {true};
        found.forEach((shard, placement) -> placement.rowsPerModulo().forEach((bucket, rows) -> {
            if (rows > 0) {
                String other = owner.putIfAbsent(bucket, shard);
                fits[0] &= (other == null || other.equals(shard)) && takers.contains(shard);
            }
        }));
        return fits[0] && !owner.isEmpty();
    }
}
