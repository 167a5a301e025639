package io.shardwright.planning.table;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who owns each bucket, by the fence rows of all shards: the truth that tables are written from.
 *
 * @param owners bucket to its one owner with the epoch of its fence row
 * @param ownerless buckets that no shard owns: in a switch right now, or left behind by one
 * @param contested buckets that several shards own, with these shards: a lost commit, never to be routed by guess
 */
public record Ownership(
        SortedMap<Integer, Owner> owners, SortedSet<Integer> ownerless, SortedMap<Integer, List<String>> contested) {
    public Ownership {
        owners = Collections.unmodifiableSortedMap(new TreeMap<>(owners));
        ownerless = Collections.unmodifiableSortedSet(new TreeSet<>(ownerless));
        contested = Collections.unmodifiableSortedMap(new TreeMap<>(contested));
    }

    public record Owner(String shard, long epoch) {}

    /**
     * Derives the owners.
     *
     * @param buckets of the cluster
     * @param fences fence rows of <em>every</em> shard, by shard and bucket; a shard that could not be read must not be
     *     left out silently, the caller has nothing to derive then
     */
    public static Ownership of(int buckets, Map<String, ? extends Map<Integer, FenceRow>> fences) {
        SortedMap<Integer, Owner> owners = new TreeMap<>();
        SortedSet<Integer> ownerless = new TreeSet<>();
        SortedMap<Integer, List<String>> contested = new TreeMap<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            List<Owner> claims = claims(bucket, fences);
            switch (claims.size()) {
                case 0 -> ownerless.add(bucket);
                case 1 -> owners.put(bucket, claims.get(0));
                default ->
                    contested.put(bucket, claims.stream().map(Owner::shard).toList());
            }
        }
        return new Ownership(owners, ownerless, contested);
    }

    private static List<Owner> claims(int bucket, Map<String, ? extends Map<Integer, FenceRow>> fences) {
        List<Owner> claims = new ArrayList<>();
        new TreeMap<>(fences).forEach((shard, rows) -> {
            FenceRow row = rows.get(bucket);
            if (row != null && row.state() == FenceState.OWNED) {
                claims.add(new Owner(shard, row.epoch()));
            }
        });
        return claims;
    }

    public boolean complete() {
        return ownerless.isEmpty() && contested.isEmpty();
    }

    /** What keeps a first table from being written; empty when every bucket has exactly one owner. */
    public Optional<String> problem() {
        if (!contested.isEmpty()) {
            int bucket = contested.firstKey();
            return Optional.of("bucket " + bucket + " is owned by " + String.join(" and ", contested.get(bucket))
                    + (contested.size() > 1 ? " (and " + (contested.size() - 1) + " more like it)" : "")
                    + ": compare both shards, then correct the fence row of the one that is behind");
        }
        return ownerless.isEmpty()
                ? Optional.empty()
                : Optional.of(ownerless.size() + " buckets have no owner, the first is " + ownerless.first()
                        + ": wait for the moves that switch them, or look at their fence rows");
    }
}
