package io.shardwright.dataplane;

import java.time.Duration;

/**
 * What a move may take from its two shards while it can still wait.
 *
 * @param pauseAboveLag a standby of either shard that is further behind, or of which nobody knows, stops the move
 * @param maxBytesPerSecond of the copy
 * @param slotCapBytes of log that the move's slot may keep on a source that sets no limit itself
 * @param interval between two looks at a shard; what is older than three of them is unknown
 * @param standbyOut a standby that has been unknown, or far behind, for so long is out, and waited for no more
 */
public record Throttling(
        Duration pauseAboveLag, long maxBytesPerSecond, long slotCapBytes, Duration interval, Duration standbyOut) {
    private static final long MIB = 1L << 20;

    public static final Throttling DEFAULTS =
            new Throttling(Duration.ofSeconds(5), 50 * MIB, 10_240 * MIB, Duration.ofSeconds(1), Duration.ofMinutes(5));

    /** What a policy decides; the rest is as it is. */
    public static Throttling of(Duration pauseAboveLag, long maxBytesPerSecond) {
        return new Throttling(
                pauseAboveLag, maxBytesPerSecond, DEFAULTS.slotCapBytes, DEFAULTS.interval, DEFAULTS.standbyOut);
    }
}
