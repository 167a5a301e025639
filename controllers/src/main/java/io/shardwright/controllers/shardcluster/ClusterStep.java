package io.shardwright.controllers.shardcluster;

/** What is done to a cluster; each step is idempotent. */
public enum ClusterStep {
    /** count rows per bucket; reads only */
    SCAN,
    /** bring the schema of a fence that is not armed, and ownership of buckets whose rows lie there; locks no table */
    PREPARE,
    /** install or upgrade the fence on shards; writes no ownership */
    INSTALL_FENCE,
    /** write ownership for buckets that have none on any shard, as the scan found them */
    ADOPT,
    /** take back what was noted or written for buckets that lie on another shard */
    RELEASE,
    /** refuse buckets without a fence row from now on */
    ARM,
    /** create or rewrite the routing table from the fences */
    PUBLISH
}
