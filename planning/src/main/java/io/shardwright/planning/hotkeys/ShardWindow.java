package io.shardwright.planning.hotkeys;

import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.ShardLoad;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What all routers asked of one shard over the window.
 *
 * @param keys the bounds of every key that was listed by any of them
 * @param unlisted the most that a key may have had which was listed by none
 */
public record ShardWindow(long requests, SortedMap<String, Bounds> keys, long unlisted, Latencies neighbours) {
    static final ShardWindow NONE = new ShardWindow(0, new TreeMap<>(), 0, Latencies.NONE);

    /** A key that is not listed had less than this share, where the list has room (the contract's word). */
    private static final double UNLISTED_BELOW = 0.01;

    /** Requests for a key. */
    public record Bounds(long atLeast, long atMost) {
        private Bounds plus(long least, long most) {
            return new Bounds(atLeast + least, atMost + most);
        }
    }

    public ShardWindow {
        keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
    }

    /** Bounds of slices add up; where a key is not listed it had what is possible there. */
    static ShardWindow of(Collection<ShardLoad> loads) {
        long requests = 0;
        long unlisted = 0;
        SortedMap<String, Bounds> keys = new TreeMap<>();
        for (ShardLoad load : loads) {
            long most = unlisted(load);
            requests += load.requests();
            unlisted += most;
            load.hottest()
                    .forEach(key -> keys.merge(
                            key.key(),
                            new Bounds(key.atLeast(), key.atMost() - most),
                            (one, other) -> one.plus(other.atLeast(), other.atMost())));
        }
        long elsewhere = unlisted;
        keys.replaceAll((key, bounds) -> bounds.plus(0, elsewhere));
        return new ShardWindow(
                requests,
                keys,
                unlisted,
                loads.stream().map(ShardLoad::neighbours).reduce(Latencies.NONE, Latencies::plus));
    }

    /** The sketch of a process is wrong by the same number for every key. */
    private static long unlisted(ShardLoad load) {
        long error = load.hottest().stream()
                .mapToLong(key -> key.atMost() - key.atLeast())
                .max()
                .orElse(0);
        long last = load.hottest().size() < ShardLoad.MAX_KEYS
                ? (long) (load.requests() * UNLISTED_BELOW)
                : load.hottest().stream().mapToLong(KeyLoad::atLeast).min().orElse(0);
        return Math.min(load.requests(), last + error);
    }

    long atLeast(String key) {
        return keys.getOrDefault(key, new Bounds(0, 0)).atLeast();
    }

    long atMost(String key) {
        return Math.min(
                requests, keys.getOrDefault(key, new Bounds(0, unlisted)).atMost());
    }
}
