package io.shardwright.routing;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How long requests took, counted in buckets that are the same everywhere, so that the counts of many processes add up to those of
 * all. Bucket 0 ends at 100 microseconds; each next one ends a tenth later, rounded down to whole microseconds (110, 121, 133, ..);
 * an end belongs to its bucket. The last one has no end and begins behind 15 seconds.
 *
 * @param counts requests by bucket, in the order of the buckets
 */
public record Latencies(Map<Integer, Long> counts) {
    public static final int BUCKETS = 128;

    public static final Latencies NONE = new Latencies(Map.of());

    private static final long[] ENDS = ends();

    public Latencies {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }

    private static long[] ends() {
        long[] ends = new long[BUCKETS - 1];
        ends[0] = 100;
        for (int bucket = 1; bucket < ends.length; bucket++) {
            ends[bucket] = ends[bucket - 1] + ends[bucket - 1] / 10;
        }
        return ends;
    }

    public static int bucketOf(long micros) {
        int found = Arrays.binarySearch(ENDS, micros);
        return found >= 0 ? found : -found - 1;
    }

    /** The longest time that a bucket counts; of the last one the longest that is certain. */
    public static Duration endOf(int bucket) {
        return Duration.of(ENDS[Math.min(bucket, ENDS.length - 1)], ChronoUnit.MICROS);
    }

    public Latencies plus(Latencies other) {
        Map<Integer, Long> sum = new TreeMap<>(counts);
        other.counts.forEach((bucket, count) -> sum.merge(bucket, count, Long::sum));
        return new Latencies(sum);
    }

    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * A time that this share of the requests did not exceed: the end of the bucket that holds it.
     *
     * @param share above 0 and up to 1
     */
    public Optional<Duration> quantile(double share) {
        long wanted = Math.max(1, (long) Math.ceil(share * total()));
        long passed = 0;
        for (Map.Entry<Integer, Long> bucket : counts.entrySet()) {
            passed += bucket.getValue();
            if (passed >= wanted) {
                return Optional.of(endOf(bucket.getKey()));
            }
        }
        return Optional.empty();
    }
}
