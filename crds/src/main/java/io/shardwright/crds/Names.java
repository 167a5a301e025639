package io.shardwright.crds;

/** Names that people, manifests and other systems meet: labels, annotations, verbs, and how names must look. */
public final class Names {
    public static final String GROUP = "shardwright.io";
    public static final String VERSION = "v1alpha1";
    public static final String CATEGORY = "shardwright";

    /** Label: the ShardCluster that an object belongs to. */
    public static final String CLUSTER_LABEL = "shardwright.io/cluster";

    /** Label of a BucketMove: hash of the approved plan that it is a part of. */
    public static final String PLAN_LABEL = "shardwright.io/plan";

    /** Annotation of a ShardCluster, "who: why": while it is there nothing new starts. */
    public static final String MAINTENANCE_ANNOTATION = "shardwright.io/maintenance";

    /**
     * Annotation of a ShardCluster, with a system identifier: a shard that leads to this database system now is still the
     * same shard (its server was upgraded or restored). It is obeyed when the fence there is the shard's, and noted once.
     */
    public static final String ACCEPT_IDENTITY_ANNOTATION = "shardwright.io/accept-identity";

    /**
     * Annotation of a BucketMove that is being deleted, with the reason: let go without cleaning. What it has left is swept later, as
     * far as it decides nothing any more.
     */
    public static final String FORCE_REMOVE_ANNOTATION = "shardwright.io/force-remove";

    /**
     * Annotation of a BucketMove, with the id of that move: its target is lost and kept away from everybody, so the source takes
     * back what is fenced.
     */
    public static final String FORCE_RECLAIM_ANNOTATION = "shardwright.io/force-reclaim";

    /** Annotation of a router pod: how many processes in it acknowledge (default 1). */
    public static final String ROUTERS_ANNOTATION = "shardwright.io/routers";

    /** Own verb on routingtables: the operator has it, people do not. */
    public static final String VERB_PUBLISH = "publish";

    /** Own verb on shardpolicies: may set {@code approvedPlan}. */
    public static final String VERB_APPROVE = "approve";

    public static final String DNS_LABEL = "^[a-z]([-a-z0-9]*[a-z0-9])?$";
    public static final int CLUSTER_MAX = 51;
    public static final int SHARD_MAX = 51;

    /** Longest key that is pinned or moved by itself, in characters; as it is shown, its SHA-256 included. */
    public static final int KEY_MAX = 128;

    private Names() {}
}
