package io.shardwright.crds;

/** What conditions are about; each says when it is True. One writer per condition and object. */
public enum ConditionType {
    ACCEPTED(
            "Accepted",
            "ShardCluster, ShardPolicy, BucketMove",
            "The spec can be obeyed, as far as other objects have a say in it."),
    REACHABLE("Reachable", "ShardCluster", "Every primary answers, with the identity that it had before."),
    FENCE_INSTALLED("FenceInstalled", "ShardCluster", "Every shard refuses writes for buckets that it does not own."),
    BALANCED("Balanced", "ShardCluster", "No plan would move a bucket."),
    PROGRESSING(
            "Progressing",
            "ShardCluster, BucketMove",
            "Something is being done now; the message says what, or whom it waits for."),
    READY("Ready", "ShardCluster, BucketMove", "Nothing that the user asked for is left to do."),

    RESOLVED_REFS("ResolvedRefs", "ShardPolicy", "The ShardCluster that is named exists and is accepted."),
    PLAN_APPROVED("PlanApproved", "ShardPolicy", "The plan that is shown may run."),
    IN_BALANCE("InBalance", "ShardPolicy", "Max over mean of the shards' load is within the tolerance."),

    COPY_COMPLETE("CopyComplete", "BucketMove", "Every row of the snapshot is durable on the target."),
    IN_SYNC("InSync", "BucketMove", "The stream of changes is within the gate of a switch."),
    VERIFIED("Verified", "BucketMove", "Source and target were compared and are equal."),
    WRITES_SWITCHED("WritesSwitched", "BucketMove", "The target owns every bucket of the move."),
    REVERSIBLE("Reversible", "BucketMove", "What was switched can be switched back without a loss.");

    private final String wire;
    private final String kinds;
    private final String meaning;

    ConditionType(String wire, String kinds, String meaning) {
        this.wire = wire;
        this.kinds = kinds;
        this.meaning = meaning;
    }

    public String wire() {
        return wire;
    }

    /** The kinds that have it, for people. */
    public String kinds() {
        return kinds;
    }

    /** What is so while it is True. */
    public String meaning() {
        return meaning;
    }
}
