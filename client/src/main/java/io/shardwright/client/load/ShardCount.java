package io.shardwright.client.load;

import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;

/** What one stripe has counted of one shard in one slice. Not thread-safe. */
final class ShardCount {
    private final KeySketch keys = new KeySketch(KeySketch.CAPACITY);
    private final long[] neighbours = new long[Latencies.BUCKETS];
    private long requests;

    /** @param neighbour the key was not hot in the slice before */
    void add(String key, boolean neighbour, long micros) {
        requests++;
        if (key.length() <= KeyLoad.MAX_KEY) {
            keys.add(key);
        }
        if (neighbour) {
            neighbours[Latencies.bucketOf(micros)]++;
        }
    }

    long requests() {
        return requests;
    }

    KeySketch keys() {
        return keys;
    }

    long[] neighbours() {
        return neighbours;
    }
}
