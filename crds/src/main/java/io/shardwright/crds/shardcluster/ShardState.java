package io.shardwright.crds.shardcluster;

/** How a shard was found; the words of {@code status.shards[].state}. */
public enum ShardState {
    /** Answers, is fenced, and may own buckets. */
    READY("Ready"),
    /** Weight 0, and still owns buckets. */
    DRAINING("Draining"),
    /** Weight 0, and owns nothing: it may leave the list. */
    DRAINED("Drained"),
    /** Answers, and cannot be used as it is: the message says why. */
    REFUSED("Refused"),
    /** Does not answer. */
    UNREACHABLE("Unreachable"),
    /** Not looked at yet. */
    UNKNOWN("Unknown");

    private final String wire;

    ShardState(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }
}
