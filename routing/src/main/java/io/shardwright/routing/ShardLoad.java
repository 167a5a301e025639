package io.shardwright.routing;

import java.util.List;

/**
 * What one process asked of one shard in a slice. A request is a statement, reads included, or one attempt of it.
 *
 * @param requests all of them, of listed keys and others
 * @param hottest the keys asked for most, falling by {@code atLeast}. A key that is not listed had less than 1 % of the requests
 *     or, where the list is full, at most about as many as the last one of it
 * @param neighbours how long requests took, apart from those of keys that were hot in the slice before
 */
public record ShardLoad(String shard, long requests, List<KeyLoad> hottest, Latencies neighbours) {
    /** Most keys in a list. */
    public static final int MAX_KEYS = 32;

    public ShardLoad {
        hottest = List.copyOf(hottest);
    }
}
