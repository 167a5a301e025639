package io.shardwright.routing;

/**
 * The rules that every routing table keeps. Those with a T and a number stand as CEL in the CRD too, so that the API server
 * refuses what a router would refuse.
 */
public enum TableRule {
    /** every bucket has an owner and an epoch */
    MAP,
    /** every shard that is named is listed, with a host and a port */
    SHARDS,
    /** no name is blank */
    BLANK,
    /** pins are canonical key texts */
    PINS,
    /** handovers name buckets of the cluster, each in one handover only, with an epoch not below the table's */
    HANDOVERS,
    /** a document that follows another one is newer in the order of documents */
    ORDER,
    /** the writer epoch does not shrink inside an incarnation; a writer raises it by one at most */
    T2,
    /** one revision is one content; a writer raises it by one with each change */
    T3,
    /** web processes see a handover only when workers do */
    T9,
    /** cluster, engine, buckets, hash and key type never change */
    T11,
    /** the incarnation does not shrink */
    T12
}
