package io.shardwright.client.load;

import java.util.HashMap;
import java.util.Map;

/** The counts of the threads that share it. Its lock is held for the time of one count. */
final class Stripe {
    private Map<String, ShardCount> counts = new HashMap<>();

    synchronized void add(String shard, String key, boolean neighbour, long micros) {
        ShardCount count = counts.get(shard);
        if (count == null) {
            count = new ShardCount();
            counts.put(shard, count);
        }
        count.add(key, neighbour, micros);
    }

    /** Begins anew; what was counted belongs to the caller from now on. */
    synchronized Map<String, ShardCount> take() {
        Map<String, ShardCount> taken = counts;
        counts = new HashMap<>();
        return taken;
    }
}
