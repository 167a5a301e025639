package io.shardwright.client.load;

import io.shardwright.routing.LoadReport;
import io.shardwright.routing.LoadReportCodec;
import io.shardwright.routing.ShardLoad;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Counts the requests of this process and closes a slice of them about every ten seconds. Thread-safe. */
public final class LoadMeter {
    /** Shorter than any pause between two regular acknowledgements, so that each of them brings a slice of its own. */
    private static final long SHORTEST_SLICE_NANOS = Duration.ofSeconds(9).toNanos();

    /** Of the 64 KiB that an acknowledgement may have; so many shards as the contract allows do not fit. */
    private static final int MOST_BYTES = 48 * 1024;

    private static final int STRIPES = 16;

    private final LongSupplier nanos;
    private final Stripe[] stripes = new Stripe[STRIPES];
    private volatile Map<String, Set<String>> hot = Map.of();
    private long opened;
    private long slice;
    private LoadReport newest;

    /** @param nanos a monotone clock */
    public LoadMeter(LongSupplier nanos) {
        this.nanos = nanos;
        this.opened = nanos.getAsLong();
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    /** A request for the key has reached the shard and taken so long. */
    public void count(String shard, String key, long tookNanos) {
        Set<String> known = hot.get(shard);
        boolean neighbour = known == null || !known.contains(key);
        int stripe = (int) (Thread.currentThread().getId() & STRIPES - 1);
        stripes[stripe].add(shard, key, neighbour, TimeUnit.NANOSECONDS.toMicros(tookNanos));
    }

    /**
     * The slice that closed last, or null before the first one. Closes the open one first, when it is long enough; the one before
     * is dropped then, whether anybody has heard of it or not.
     */
    public synchronized LoadReport newest() {
        long length = nanos.getAsLong() - opened;
        if (length >= SHORTEST_SLICE_NANOS) {
            List<ShardLoad> loads = loads();
            Map<String, Set<String>> nowHot = new HashMap<>();
            loads.forEach(load -> nowHot.put(load.shard(), ShardSum.hot(load)));
            hot = nowHot;
            opened += length;
            newest = new LoadReport(++slice, TimeUnit.NANOSECONDS.toMillis(length), fitting(loads));
        }
        return newest;
    }

    private List<ShardLoad> loads() {
        Map<String, ShardSum> sums = new HashMap<>();
        for (Stripe stripe : stripes) {
            stripe.take()
                    .forEach((shard, count) ->
                            sums.computeIfAbsent(shard, first -> new ShardSum()).add(count));
        }
        List<ShardLoad> loads = new ArrayList<>();
        sums.forEach((shard, sum) -> loads.add(sum.load(shard)));
        loads.sort(Comparator.comparingLong(ShardLoad::requests).reversed().thenComparing(ShardLoad::shard));
        return loads;
    }

    /** The busiest shards, as many as there is room for. */
    private static List<ShardLoad> fitting(List<ShardLoad> loads) {
        List<ShardLoad> fitting = new ArrayList<>();
        int bytes = 0;
        for (ShardLoad load : loads) {
            bytes += LoadReportCodec.encode(load).getBytes(StandardCharsets.UTF_8).length + 1;
            if (bytes > MOST_BYTES) {
                break;
            }
            fitting.add(load);
        }
        return fitting;
    }
}
