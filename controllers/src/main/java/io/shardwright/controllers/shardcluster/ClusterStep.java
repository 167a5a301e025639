package io.shardwright.controllers.shardcluster;

/** What is done to a cluster; each step is idempotent. */
public enum ClusterStep {
    /** count rows per bucket on shards that have no fence yet; reads only */
    SCAN,
    /** install or upgrade the fence on shards; writes no ownership */
    INSTALL_FENCE,
    /** write ownership for buckets that have none on any shard, as the scan found them */
    ADOPT,
    /** create or rewrite the routing table from the fences */
    PUBLISH
}
