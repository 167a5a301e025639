package io.shardwright.planning.placement;

import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardRole;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Everything a plan depends on, and nothing else: no sizes, no timings, no clock. So the same inputs give the same plan
 * and the same hash, in the operator and in a plugin.
 *
 * @param cluster name of the ShardCluster
 * @param shards by name
 * @param owners owner of each bucket, from the fences
 * @param pins keys that are to have a Dedicated shard, with that shard
 * @param pinned keys that have a shard of their own now, with that shard, from the fences
 * @param detected those of both that detection wants where they are to go; not a part of the hash, because a pin is a pin
 */
public record PlanInputs(
        String cluster,
        SortedMap<String, Shard> shards,
        RunLengthMap<String> owners,
        SortedMap<Scope, String> pins,
        SortedMap<Scope, String> pinned,
        SortedSet<Scope> detected) {
    public PlanInputs {
        shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
        pins = Collections.unmodifiableSortedMap(new TreeMap<>(pins));
        pinned = Collections.unmodifiableSortedMap(new TreeMap<>(pinned));
        detected = Collections.unmodifiableSortedSet(new TreeSet<>(detected));
    }

    /** Nothing is detected. */
    public PlanInputs(
            String cluster,
            SortedMap<String, Shard> shards,
            RunLengthMap<String> owners,
            SortedMap<Scope, String> pins,
            SortedMap<Scope, String> pinned) {
        this(cluster, shards, owners, pins, pinned, new TreeSet<>());
    }

    /** No key has a shard of its own yet. */
    public PlanInputs(
            String cluster,
            SortedMap<String, Shard> shards,
            RunLengthMap<String> owners,
            SortedMap<Scope, String> pins) {
        this(cluster, shards, owners, pins, new TreeMap<>());
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

    /** The same inputs with other owners of some buckets and keys. */
    PlanInputs withOwners(SortedMap<Scope, String> changed) {
        List<String> next = new ArrayList<>(owners.values());
        SortedMap<Scope, String> nextPinned = new TreeMap<>(pinned);
        changed.forEach((scope, shard) -> {
            if (!scope.isKey()) {
                next.set(scope.bucket(), shard);
            } else if (next.get(scope.bucket()).equals(shard)) {
                nextPinned.remove(scope);
            } else {
                nextPinned.put(scope, shard);
            }
        });
        return new PlanInputs(cluster, shards, RunLengthMap.of(next), pins, nextPinned, detected);
    }

    /** The same; people read the hashes of its keys. */
    public PlanInputs hidden() {
        SortedSet<Scope> found = new TreeSet<>();
        detected.forEach(key -> found.add(key.hidden()));
        return new PlanInputs(cluster, shards, owners, hidden(pins), hidden(pinned), found);
    }

    private static SortedMap<Scope, String> hidden(SortedMap<Scope, String> pins) {
        SortedMap<Scope, String> hidden = new TreeMap<>();
        pins.forEach((key, shard) -> hidden.put(key.hidden(), shard));
        return hidden;
    }

    /** The shard that has it now; empty when the cluster has no such bucket. */
    public Optional<String> owner(Scope scope) {
        return Optional.ofNullable(pinned.get(scope))
                .or(() -> scope.bucket() >= 0 && scope.bucket() < owners.buckets()
                        ? Optional.of(owners.get(scope.bucket()))
                        : Optional.empty());
    }
}
