package io.shardwright.meaning;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import io.shardwright.planning.placement.Batch;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A plan in the words of a status. */
public final class PlanTexts {
    /** Most buckets of one BucketMove. */
    private static final int MOVE_MAX = 4096;

    private static final int REASONS_MAX = 32;
    private static final int REASON_MAX = 256;

    private PlanTexts() {}

    /** As much of the text as fits, and no half of a character: the server would store another one than was written. */
    public static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }

    /** Empty when nothing moves; the time of first sight is the status factory's. */
    public static Optional<Plan> shown(RebalancePlan plan) {
        if (plan.empty()) {
            return Optional.empty();
        }
        List<PlannedMove> moves = new ArrayList<>();
        plan.moves().forEach(batch -> moves.addAll(split(batch)));
        return Optional.of(new Plan(
                plan.hash(),
                null,
                moves,
                share(plan.movedShare()),
                share(plan.lowerBound()),
                ratio(plan.imbalanceBefore()),
                ratio(plan.imbalanceAfter()),
                plan.reasons().stream()
                        .limit(REASONS_MAX)
                        .map(reason -> cut(reason, REASON_MAX))
                        .toList()));
    }

    private static List<String> shown(List<String> keys, boolean hashKeys) {
        return keys.stream()
                .map(key -> Scope.key(key, 0))
                .map(key -> hashKeys ? key.hidden() : key)
                .map(Scope::toString)
                .toList();
    }

    /**
     * A plan that runs and that no status remembers, from its moves.
     *
     * @param hashKeys keys are shown as their SHA-256
     */
    public static Plan ofMoves(String hash, List<BucketMove> moves, boolean hashKeys) {
        List<PlannedMove> planned = moves.stream()
                .map(BucketMove::getSpec)
                .map(spec -> new PlannedMove(spec.from(), spec.to(), spec.buckets(), shown(spec.keys(), hashKeys)))
                .toList();
        return new Plan(hash, null, planned, null, null, null, null, List.of("read back from the moves that run"));
    }

    /** Keys as their scopes show them. */
    private static List<PlannedMove> split(Batch batch) {
        return batch.ofKeys() ? ofKeys(batch) : ofBuckets(batch);
    }

    private static List<PlannedMove> ofKeys(Batch batch) {
        List<String> keys = batch.scopes().stream().map(Scope::toString).toList();
        return List.of(new PlannedMove(batch.from(), batch.to(), null, keys));
    }

    private static List<PlannedMove> ofBuckets(Batch batch) {
        List<Integer> buckets = List.copyOf(batch.buckets());
        List<PlannedMove> parts = new ArrayList<>();
        for (int from = 0; from < buckets.size(); from += MOVE_MAX) {
            int to = Math.min(buckets.size(), from + MOVE_MAX);
            parts.add(new PlannedMove(batch.from(), batch.to(), buckets.subList(from, to), null));
        }
        return parts;
    }

    private static String share(double share) {
        return String.format(Locale.ROOT, "%.1f%%", share * 100);
    }

    private static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.2f", ratio);
    }
}
