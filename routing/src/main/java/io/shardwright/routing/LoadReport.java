package io.shardwright.routing;

import java.util.List;

/**
 * What one process asked of its shards in one slice of time. It rides on the acknowledgements until the next slice closes, so a
 * reader takes a slice of a boot once and adds up as many as it wants to look back. Bounds of slices add up to bounds of their sum.
 *
 * @param slice 1, 2, 3, .. in each boot; a number that is missing was lost, or nobody was there to hear it
 * @param millis length of the slice
 * @param shards those that were asked for anything; a shard that is not listed was not asked, or there was no room for it
 */
public record LoadReport(long slice, long millis, List<ShardLoad> shards) {
    /** Most shards in a report. */
    public static final int MAX_SHARDS = 1_024;

    /** Most of anything that is counted in one slice. */
    public static final int MAX_COUNT = 2_000_000_000;

    public LoadReport {
        shards = List.copyOf(shards);
    }
}
