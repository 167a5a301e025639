package io.shardwright.planning.placement;

import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Pins that are wanted against pins that are. A key that is wanted elsewhere goes there from the shard that has it; one whose pin is
 * gone goes back to the shard that owns its bucket. A key that is to serve on the very shard that owns its bucket needs no move.
 */
final class KeyMoves {
    /** A plan is read by people, and its keys are kept in a status: more of them come with the next plan. */
    static final int MOST = 500;

    private static final int NAMED = 4;

    private KeyMoves() {}

    /** What wants a key elsewhere. */
    private enum Why {
        NOT_HOT("hot no more, going back to %s with the bucket"),
        NOT_PINNED("pinned no more, going back to %s with the bucket"),
        HOT("hot, to be pinned to %s"),
        PINNED("pinned to %s");

        private final String words;

        Why(String words) {
            this.words = words;
        }

        private static Why of(Scope key, PlanInputs inputs) {
            boolean detected = inputs.detected().contains(key);
            return inputs.pins().containsKey(key) ? detected ? HOT : PINNED : detected ? NOT_HOT : NOT_PINNED;
        }
    }

    /** By source and target; the first {@link #MOST} keys, by bucket and text. */
    static List<Batch> of(PlanInputs inputs) {
        SortedSet<Scope> keys = new TreeSet<>(inputs.pins().keySet());
        keys.addAll(inputs.pinned().keySet());
        SortedMap<String, SortedMap<String, SortedSet<Scope>>> moves = new TreeMap<>();
        int count = 0;
        for (Scope key : keys) {
            String from = here(inputs, key);
            String to = wanted(inputs, key);
            if (!from.equals(to) && count < MOST) {
                moves.computeIfAbsent(from, any -> new TreeMap<>())
                        .computeIfAbsent(to, any -> new TreeSet<>())
                        .add(key);
                count++;
            }
        }
        List<Batch> batches = new ArrayList<>();
        moves.forEach((from, targets) -> targets.forEach((to, scopes) -> batches.add(new Batch(from, to, scopes))));
        return batches;
    }

    private static String here(PlanInputs inputs, Scope key) {
        String pinned = inputs.pinned().get(key);
        return pinned == null ? inputs.owners().get(key.bucket()) : pinned;
    }

    private static String wanted(PlanInputs inputs, Scope key) {
        String pin = inputs.pins().get(key);
        return pin == null ? inputs.owners().get(key.bucket()) : pin;
    }

    /**
     * One for each batch, in their order.
     *
     * @param buckets that there is something to move of them, too
     */
    static List<String> reasons(PlanInputs inputs, List<Batch> batches, boolean buckets) {
        List<String> reasons = new ArrayList<>();
        for (Batch batch : batches) {
            SortedMap<Why, List<Scope>> byWhy = new TreeMap<>();
            batch.scopes()
                    .forEach(key -> byWhy.computeIfAbsent(Why.of(key, inputs), any -> new ArrayList<>())
                            .add(key));
            byWhy.forEach((why, keys) -> reasons.add(Quantity.of(keys.size(), "key") + " on " + batch.from() + ", "
                    + why.words.formatted(batch.to()) + ": " + named(keys)));
        }
        if (buckets) {
            reasons.add(
                    "buckets have to move, too: their plan comes after these keys, or when nothing is pinned otherwise than it is");
        }
        return reasons;
    }

    private static String named(List<Scope> keys) {
        List<String> names = keys.stream().limit(NAMED).map(Scope::toString).toList();
        return String.join(", ", names) + (keys.size() > NAMED ? " and " + (keys.size() - NAMED) + " more" : "");
    }
}
