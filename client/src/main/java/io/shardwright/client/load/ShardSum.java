package io.shardwright.client.load;

import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.ShardLoad;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What all stripes have counted of one shard in one slice. */
final class ShardSum {
    /** Keys with less than a hundredth of the requests by their upper bound cannot be hot, and are not sent. */
    private static final long SENT_FROM = 100;

    /** A key with a twentieth of the requests by its lower bound is hot: its requests are not those of a neighbour. */
    private static final long HOT_FROM = 20;

    private final Map<String, Long> keys = new HashMap<>();
    private final Map<Integer, Long> neighbours = new HashMap<>();
    private long requests;
    private long missing;

    void add(ShardCount count) {
        requests += count.requests();
        missing += count.keys().addTo(keys);
        long[] times = count.neighbours();
        for (int bucket = 0; bucket < times.length; bucket++) {
            if (times[bucket] > 0) {
                neighbours.merge(bucket, times[bucket], Long::sum);
            }
        }
    }

    ShardLoad load(String shard) {
        List<KeyLoad> hottest = keys.entrySet().stream()
                .map(key -> new KeyLoad(key.getKey(), key.getValue(), key.getValue() + missing))
                .filter(key -> key.atMost() * SENT_FROM >= requests)
                .sorted(Comparator.comparingLong(KeyLoad::atLeast).reversed().thenComparing(KeyLoad::key))
                .limit(ShardLoad.MAX_KEYS)
                .toList();
        return new ShardLoad(shard, requests, hottest, new Latencies(neighbours));
    }

    static Set<String> hot(ShardLoad load) {
        return load.hottest().stream()
                .filter(key -> key.atLeast() * HOT_FROM >= load.requests())
                .map(KeyLoad::key)
                .collect(Collectors.toUnmodifiableSet());
    }
}
