package io.shardwright.planning.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many buckets each shard gets: largest remainders (Hamilton's method). Each shard gets the whole part of its ideal
 * share; what is left goes one by one to the largest remainders. Equal remainders go first to a shard that holds more than
 * its whole part already, because that saves a move, then by name. All in integers.
 */
final class Quotas {
    private Quotas() {}

    /**
     * Quotas of the shards that take buckets; their sum is the number of buckets.
     *
     * @throws IllegalArgumentException when no shard takes buckets
     */
    static SortedMap<String, Integer> of(PlanInputs inputs, Map<String, Integer> held) {
        SortedMap<String, Share> shares = shares(inputs);
        SortedMap<String, Integer> quotas = new TreeMap<>();
        shares.forEach((name, share) -> quotas.put(name, share.whole()));
        int left = inputs.owners().buckets()
                - quotas.values().stream().mapToInt(Integer::intValue).sum();
        List<String> order = new ArrayList<>(shares.keySet());
        order.sort(Comparator.comparing((String name) -> shares.get(name).remainder(), Comparator.reverseOrder())
                .thenComparing(
                        name -> held.getOrDefault(name, 0) <= shares.get(name).whole())
                .thenComparing(Comparator.naturalOrder()));
        order.subList(0, left).forEach(name -> quotas.merge(name, 1, Integer::sum));
        return quotas;
    }

    /** The ideal share buckets * weight / sum of weights, as whole part and remainder of the division. */
    static SortedMap<String, Share> shares(PlanInputs inputs) {
        long sum = inputs.shards().values().stream()
                .filter(PlanInputs.Shard::takesBuckets)
                .mapToLong(PlanInputs.Shard::weight)
                .sum();
        if (sum == 0) {
            throw new IllegalArgumentException("no General shard has a weight above 0: give one a weight");
        }
        long buckets = inputs.owners().buckets();
        SortedMap<String, Share> shares = new TreeMap<>();
        inputs.shards().forEach((name, shard) -> {
            if (shard.takesBuckets()) {
                long product = buckets * shard.weight();
                shares.put(name, new Share((int) (product / sum), product % sum, (double) product / sum));
            }
        });
        return shares;
    }

    record Share(int whole, long remainder, double ideal) {
        int roundedUp() {
            return remainder == 0 ? whole : whole + 1;
        }
    }
}
