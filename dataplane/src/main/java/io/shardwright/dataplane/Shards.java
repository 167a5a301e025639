package io.shardwright.dataplane;

import java.util.SortedSet;

/**
 * What controllers may ask of a shard's database, beside moves. Every call blocks at most a few seconds (connect,
 * statement and lock timeouts are set on each session), runs on a caller's executor, and is idempotent.
 */
public interface Shards {
    /** The version of the fence that {@link #installFence} brings; an older one in a sight wants an upgrade. */
    int fenceVersion();

    /** Looks and never writes; a fault becomes a problem in the sight, never an exception. */
    ShardSight look(ShardAccess shard, ShardedSchema schema);

    /** Counts rows per bucket before anything is installed. @throws ShardException when the shard cannot be read */
    Placement scan(ShardAccess shard, ShardedSchema schema) throws ShardException;

    /** Installs or upgrades the fence, its triggers and the publication; writes no ownership. */
    void installFence(ShardAccess shard, ShardedSchema schema) throws ShardException;

    /**
     * Writes {@code OWNED} with epoch 1 for buckets that have no fence row at all; rows that exist stay as they are.
     * The commit is durable when the call returns.
     */
    void adopt(ShardAccess shard, SortedSet<Integer> buckets) throws ShardException;
}
