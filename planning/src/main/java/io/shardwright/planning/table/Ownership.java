package io.shardwright.planning.table;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
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
 * Who owns each bucket, and each key that has a row of its own, by the fence rows of all shards: the truth that tables are written
 * from.
 *
 * @param owners bucket to its one owner with the epoch of its fence row
 * @param ownerless buckets that no shard owns: in a switch right now, or left behind by one
 * @param contested buckets that several shards own, with these shards: a lost commit, never to be routed by guess
 * @param keys keys with a row on any shard, and the one shard that serves them
 * @param ownerlessKeys keys with a row on any shard that no shard serves
 * @param contestedKeys keys with a row on any shard that several shards serve
 */
public record Ownership(
        SortedMap<Integer, Owner> owners,
        SortedSet<Integer> ownerless,
        SortedMap<Integer, List<String>> contested,
        SortedMap<Scope, Owner> keys,
        SortedSet<Scope> ownerlessKeys,
        SortedSet<Scope> contestedKeys) {
    public Ownership {
        owners = Collections.unmodifiableSortedMap(new TreeMap<>(owners));
        ownerless = Collections.unmodifiableSortedSet(new TreeSet<>(ownerless));
        contested = Collections.unmodifiableSortedMap(new TreeMap<>(contested));
        keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
        ownerlessKeys = Collections.unmodifiableSortedSet(new TreeSet<>(ownerlessKeys));
        contestedKeys = Collections.unmodifiableSortedSet(new TreeSet<>(contestedKeys));
    }

    public record Owner(String shard, long epoch) {}

    /** Of buckets only. @see #of(int, Map, Map) */
    public static Ownership of(int buckets, Map<String, ? extends Map<Integer, FenceRow>> fences) {
        return of(buckets, fences, Map.of());
    }

    /**
     * Derives the owners.
     *
     * @param buckets of the cluster
     * @param fences fence rows of <em>every</em> shard, by shard and bucket; a shard that could not be read must not be
     *     left out silently, the caller has nothing to derive then
     * @param keyRows the rows of keys on the same shards, by shard
     */
    public static Ownership of(
            int buckets,
            Map<String, ? extends Map<Integer, FenceRow>> fences,
            Map<String, ? extends Map<Scope, FenceRow>> keyRows) {
        SortedMap<String, Map<Integer, FenceRow>> sorted = new TreeMap<>(fences);
        SortedMap<Integer, Owner> owners = new TreeMap<>();
        SortedSet<Integer> ownerless = new TreeSet<>();
        SortedMap<Integer, List<String>> contested = new TreeMap<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            List<Owner> claims = claims(bucket, sorted);
            switch (claims.size()) {
                case 0 -> ownerless.add(bucket);
                case 1 -> owners.put(bucket, claims.get(0));
                default ->
                    contested.put(bucket, claims.stream().map(Owner::shard).toList());
            }
        }
        SortedMap<Scope, Owner> keys = new TreeMap<>();
        SortedSet<Scope> ownerlessKeys = new TreeSet<>();
        SortedSet<Scope> contestedKeys = new TreeSet<>();
        for (Scope key : keys(keyRows)) {
            List<Owner> claims = claims(key, sorted, keyRows);
            switch (claims.size()) {
                case 0 -> ownerlessKeys.add(key);
                case 1 -> keys.put(key, claims.get(0));
                default -> contestedKeys.add(key);
            }
        }
        return new Ownership(owners, ownerless, contested, keys, ownerlessKeys, contestedKeys);
    }

    private static SortedSet<Scope> keys(Map<String, ? extends Map<Scope, FenceRow>> keyRows) {
        SortedSet<Scope> keys = new TreeSet<>();
        keyRows.values().forEach(rows -> keys.addAll(rows.keySet()));
        return keys;
    }

    private static List<Owner> claims(int bucket, Map<String, ? extends Map<Integer, FenceRow>> fences) {
        List<Owner> claims = new ArrayList<>();
        fences.forEach((shard, rows) -> claim(shard, rows.get(bucket), claims));
        return claims;
    }

    /** On each shard the most specific row decides: that of the key, else that of its bucket. */
    private static List<Owner> claims(
            Scope key,
            Map<String, ? extends Map<Integer, FenceRow>> fences,
            Map<String, ? extends Map<Scope, FenceRow>> keyRows) {
        List<Owner> claims = new ArrayList<>();
        fences.forEach((shard, rows) -> {
            Map<Scope, FenceRow> own = keyRows.get(shard);
            FenceRow row = own == null ? null : own.get(key);
            claim(shard, row == null ? rows.get(key.bucket()) : row, claims);
        });
        return claims;
    }

    private static void claim(String shard, FenceRow row, List<Owner> claims) {
        if (row != null && row.state() == FenceState.OWNED) {
            claims.add(new Owner(shard, row.epoch()));
        }
    }

    /** This shard owns the bucket, and no other does. */
    public boolean ownsAlone(String shard, int bucket) {
        return owners.containsKey(bucket) && owners.get(bucket).shard().equals(shard);
    }

    /** The key has a row of its own on some shard. */
    public boolean hasRows(Scope key) {
        return keys.containsKey(key) || ownerlessKeys.contains(key) || contestedKeys.contains(key);
    }

    /** Every bucket, and every key with a row of its own, has one owner. */
    public boolean complete() {
        return ownerless.isEmpty() && contested.isEmpty() && ownerlessKeys.isEmpty() && contestedKeys.isEmpty();
    }

    /** What keeps a first table from being written; empty when every bucket has exactly one owner. */
    public Optional<String> problem() {
        if (!contested.isEmpty()) {
            int bucket = contested.firstKey();
            return Optional.of("bucket " + bucket + " is owned by " + String.join(" and ", contested.get(bucket))
                    + (contested.size() > 1 ? " (and " + (contested.size() - 1) + " more like it)" : "")
                    + ": compare both shards, then correct the fence row of the one that is behind");
        }
        if (!ownerless.isEmpty()) {
            return Optional.of(ownerless.size() + " buckets have no owner, the first is " + ownerless.first()
                    + ": wait for the moves that switch them, or look at their fence rows");
        }
        return keyProblem();
    }

    private Optional<String> keyProblem() {
        boolean twice = !contestedKeys.isEmpty();
        SortedSet<Scope> keys = twice ? contestedKeys : ownerlessKeys;
        return keys.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        keys.size() + " keys with fence rows of their own have " + (twice ? "two owners" : "no owner")
                                + ", the first is one of bucket " + keys.first().bucket()
                                + ": wait for the moves that switch them, or look at these rows (scope LIKE 'k:%')");
    }
}
