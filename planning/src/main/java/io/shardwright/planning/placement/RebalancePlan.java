package io.shardwright.planning.placement;

import java.util.List;

/**
 * What to move, and why.
 *
 * @param hash of the inputs; what people approve
 * @param moves by source and target, all of buckets or all of keys; empty when nothing needs to move
 * @param movedShare share of all buckets that moves, 0..1
 * @param lowerBound share that any balanced placement must move, whatever ties are broken how; the plan is minimal when
 *     {@code movedShare} equals it
 * @param imbalanceBefore largest number of buckets of a shard divided by its share by weight, 1.0 = exact; below 1.0 only
 *     while buckets lie on shards that should hold none
 * @param imbalanceAfter the same after the moves
 * @param reasons for people, in the order of their weight
 */
public record RebalancePlan(
        String hash,
        List<Batch> moves,
        double movedShare,
        double lowerBound,
        double imbalanceBefore,
        double imbalanceAfter,
        List<String> reasons) {
    public RebalancePlan {
        moves = List.copyOf(moves);
        reasons = List.copyOf(reasons);
    }

    public boolean empty() {
        return moves.isEmpty();
    }

    public int movedBuckets() {
        return moves.stream().mapToInt(move -> move.buckets().size()).sum();
    }

    public boolean ofKeys() {
        return moves.stream().anyMatch(Batch::ofKeys);
    }

    /** What moves, with its noun. */
    public String moved() {
        int count = moves.stream().mapToInt(move -> move.scopes().size()).sum();
        return Quantity.of(count, ofKeys() ? "key" : "bucket");
    }
}
