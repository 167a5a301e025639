package io.shardwright.planning.placement;

import io.shardwright.routing.Scope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Plans the moves of keys whose pins want them elsewhere, and when there are none the fewest moves of buckets to exact quotas. Both
 * in one plan would disturb each other: a key and its bucket never move at the same time, and the first one to move changes where
 * the other is.
 *
 * <p>A shard above its quota gives its highest buckets, a shard below takes; the number of moved buckets is the sum of all excesses, and no plan with these quotas moves fewer. Sources and targets are
 * paired in order of their names, so the same inputs give the same moves.
 */
public final class Rebalancer {
    private Rebalancer() {}

    /**
     * Plans a rebalancing.
     *
     * @param tolerance 0.10 = a shard may hold 10 % more than its share before anything moves; a bucket on a shard that may
     *     hold none, and a shard that holds none but should, are never tolerated
     */
    public static RebalancePlan plan(PlanInputs inputs, double tolerance) {
        SortedMap<String, SortedSet<Integer>> held = held(inputs);
        SortedMap<String, Integer> counts = counts(held);
        SortedMap<String, Quotas.Share> shares = Quotas.shares(inputs);
        double before = imbalance(counts, shares);
        List<String> reasons = reasons(inputs, counts, shares, before, tolerance);
        List<Batch> keys = KeyMoves.of(inputs);
        if (!keys.isEmpty()) {
            return new RebalancePlan(
                    PlanHash.of(inputs),
                    keys,
                    0,
                    0,
                    before,
                    before,
                    KeyMoves.reasons(inputs, keys, !reasons.isEmpty()));
        }
        List<Batch> moves = reasons.isEmpty() ? List.of() : moves(held, Quotas.of(inputs, counts));
        double buckets = inputs.owners().buckets();
        double lowerBound = moves.isEmpty() ? 0 : leastMoved(counts, shares) / buckets;
        moves.forEach(move -> {
            counts.merge(move.from(), -move.buckets().size(), Integer::sum);
            counts.merge(move.to(), move.buckets().size(), Integer::sum);
        });
        return new RebalancePlan(
                PlanHash.of(inputs),
                moves,
                moves.stream().mapToInt(move -> move.buckets().size()).sum() / buckets,
                lowerBound,
                before,
                imbalance(counts, shares),
                moves.isEmpty() ? List.of(inBalance(before)) : reasons);
    }

    private static List<String> reasons(
            PlanInputs inputs,
            Map<String, Integer> counts,
            SortedMap<String, Quotas.Share> shares,
            double before,
            double tolerance) {
        List<String> reasons = new ArrayList<>();
        counts.forEach((name, count) -> {
            if (count > 0 && !shares.containsKey(name)) {
                reasons.add(name + " holds " + Quantity.of(count, "bucket") + " and "
                        + why(inputs.shards().get(name)));
            }
        });
        shares.forEach((name, share) -> {
            if (share.whole() > 0 && counts.getOrDefault(name, 0) == 0) {
                reasons.add(name + " holds no bucket, its share is " + share.whole());
            }
        });
        if (before > 1 + tolerance) {
            reasons.add(String.format(
                    Locale.ROOT,
                    "the fullest shard holds %.2f times its share, %.2f is tolerated",
                    before,
                    1 + tolerance));
        }
        return reasons;
    }

    private static String why(PlanInputs.Shard shard) {
        if (shard == null) {
            return "is not in the topology";
        }
        return shard.weight() == 0 ? "is drained (weight 0)" : "serves pinned keys only";
    }

    private static String inBalance(double before) {
        return String.format(Locale.ROOT, "in balance: the fullest shard holds %.2f times its share", before);
    }

    private static List<Batch> moves(SortedMap<String, SortedSet<Integer>> held, SortedMap<String, Integer> quotas) {
        List<Batch> moves = new ArrayList<>();
        Deque<String> takers = new ArrayDeque<>();
        SortedMap<String, Integer> room = new TreeMap<>();
        quotas.forEach((name, quota) -> {
            int free = quota - held.getOrDefault(name, new TreeSet<>()).size();
            if (free > 0) {
                takers.add(name);
                room.put(name, free);
            }
        });
        held.forEach((from, buckets) -> {
            TreeSet<Integer> excess = highest(buckets, buckets.size() - quotas.getOrDefault(from, 0));
            while (!excess.isEmpty()) {
                String to = takers.element();
                SortedSet<Integer> part = take(excess, room.get(to));
                moves.add(new Batch(from, to, Scope.buckets(part)));
                if (room.merge(to, -part.size(), Integer::sum) == 0) {
                    takers.remove();
                }
            }
        });
        return moves;
    }

    private static TreeSet<Integer> highest(SortedSet<Integer> buckets, int count) {
        TreeSet<Integer> rest = new TreeSet<>(buckets);
        TreeSet<Integer> highest = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            highest.add(rest.pollLast());
        }
        return highest;
    }

    private static SortedSet<Integer> take(TreeSet<Integer> from, int count) {
        SortedSet<Integer> taken = new TreeSet<>();
        while (taken.size() < count && !from.isEmpty()) {
            taken.add(from.pollFirst());
        }
        return taken;
    }

    /** Every balanced placement gives each shard the whole part of its share or one more. */
    private static int leastMoved(Map<String, Integer> counts, SortedMap<String, Quotas.Share> shares) {
        int mustLeave = 0;
        int mustArrive = 0;
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
            Quotas.Share share = shares.get(count.getKey());
            mustLeave += Math.max(0, count.getValue() - (share == null ? 0 : share.roundedUp()));
        }
        for (Map.Entry<String, Quotas.Share> share : shares.entrySet()) {
            mustArrive += Math.max(0, share.getValue().whole() - counts.getOrDefault(share.getKey(), 0));
        }
        return Math.max(mustLeave, mustArrive);
    }

    private static double imbalance(Map<String, Integer> counts, SortedMap<String, Quotas.Share> shares) {
        double largest = 0;
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
            Quotas.Share share = shares.get(count.getKey());
            if (share != null) {
                largest = Math.max(largest, count.getValue() / share.ideal());
            }
        }
        return largest;
    }

    private static SortedMap<String, SortedSet<Integer>> held(PlanInputs inputs) {
        SortedMap<String, SortedSet<Integer>> held = new TreeMap<>();
        List<String> owners = inputs.owners().values();
        for (int bucket = 0; bucket < owners.size(); bucket++) {
            held.computeIfAbsent(owners.get(bucket), shard -> new TreeSet<>()).add(bucket);
        }
        return held;
    }

    private static SortedMap<String, Integer> counts(SortedMap<String, SortedSet<Integer>> held) {
        SortedMap<String, Integer> counts = new TreeMap<>();
        held.forEach((shard, buckets) -> counts.put(shard, buckets.size()));
        return counts;
    }
}
