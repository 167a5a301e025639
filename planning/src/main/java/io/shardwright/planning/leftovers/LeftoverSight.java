package io.shardwright.planning.leftovers;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * One look at all shards of a cluster, and the moves that exist. A shard that cannot be read must not be left out, but for
 * {@link SweepPlanner#blind}: there is no sight then.
 *
 * @param fences rows of every shard, by shard and bucket
 * @param strangers slots with our prefix that no record names, by shard
 * @param live ids of all moves that have an object, by a quorum read that was made after the shards were read
 * @param reversal the id of the way back of a move
 */
public record LeftoverSight(
        SortedMap<String, Map<Integer, FenceRow>> fences,
        List<Trace> traces,
        SortedMap<String, SortedSet<String>> strangers,
        Set<UUID> live,
        UnaryOperator<UUID> reversal) {
    public LeftoverSight {
        fences = Collections.unmodifiableSortedMap(new TreeMap<>(fences));
        traces = List.copyOf(traces);
        strangers = Collections.unmodifiableSortedMap(new TreeMap<>(strangers));
        Set<UUID> both = new HashSet<>(live);
        live.forEach(move -> both.add(reversal.apply(move)));
        live = Set.copyOf(both);
    }

    boolean isLive(UUID move) {
        return live.contains(move);
    }

    FenceRow row(String shard, int bucket) {
        return fences.getOrDefault(shard, Map.of()).get(bucket);
    }

    boolean says(String shard, int bucket, FenceState state, UUID move) {
        FenceRow row = row(shard, bucket);
        return row != null && row.state() == state && move.equals(row.moveId());
    }

    /** The fence rows of a bucket on all shards that have one. */
    SortedMap<String, FenceRow> rows(int bucket) {
        SortedMap<String, FenceRow> rows = new TreeMap<>();
        fences.forEach((shard, all) -> Optional.ofNullable(all.get(bucket)).ifPresent(row -> rows.put(shard, row)));
        return rows;
    }

    /** The one shard that owns a bucket; empty when there is none, or several. */
    Optional<String> owner(int bucket) {
        List<String> owners = rows(bucket).entrySet().stream()
                .filter(row -> row.getValue().state() == FenceState.OWNED)
                .map(Map.Entry::getKey)
                .toList();
        return owners.size() == 1 ? Optional.of(owners.getFirst()) : Optional.empty();
    }
}
