package io.shardwright.crds;

/** What conditions are about; each says when it is True. One writer per condition and object. */
public enum ConditionType {
    /** The spec can be obeyed, as far as other objects have a say in it. All kinds. */
    ACCEPTED("Accepted"),
    /** Every primary answers, with the identity that it had before. ShardCluster. */
    REACHABLE("Reachable"),
    /** Every shard refuses writes for buckets that it does not own. ShardCluster. */
    FENCE_INSTALLED("FenceInstalled"),
    /** No plan would move a bucket. ShardCluster. */
    BALANCED("Balanced"),
    /** Something is being done now; the message says what, or whom it waits for. ShardCluster, BucketMove. */
    PROGRESSING("Progressing"),
    /** Nothing that the user asked for is left to do. ShardCluster, BucketMove. */
    READY("Ready"),

    /** The ShardCluster that is named exists and is accepted. ShardPolicy. */
    RESOLVED_REFS("ResolvedRefs"),
    /** The plan that is shown may run. ShardPolicy. */
    PLAN_APPROVED("PlanApproved"),
    /** Max over mean of the shards' load is within the tolerance. ShardPolicy. */
    IN_BALANCE("InBalance"),

    /** Every row of the snapshot is durable on the target. BucketMove. */
    COPY_COMPLETE("CopyComplete"),
    /** The stream of changes is within the gate of a switch. BucketMove. */
    IN_SYNC("InSync"),
    /** Source and target were compared and are equal. BucketMove. */
    VERIFIED("Verified"),
    /** The target owns every bucket of the move. BucketMove. */
    WRITES_SWITCHED("WritesSwitched"),
    /** What was switched can be switched back without a loss. BucketMove. */
    REVERSIBLE("Reversible");

    private final String wire;

    ConditionType(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }
}
