package io.shardwright.routing;

/**
 * The answer for one key, with the rule that gave it.
 *
 * @param epoch fence epoch the table believes in; 0 when the table has none (pins)
 */
public record Route(String shard, int bucket, long epoch, Rule rule) {
    public enum Rule {
        PIN,
        HANDOVER,
        BUCKET,
        /** a fence row or a refusal with a higher epoch than the table's */
        FENCE
    }
}
