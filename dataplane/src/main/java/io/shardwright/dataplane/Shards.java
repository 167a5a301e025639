package io.shardwright.dataplane;

import java.util.SortedSet;

/**
 * What controllers may ask of a shard's database, beside moves. Every call but a scan blocks some seconds at most (connect,
 * statement and lock timeouts are set on each session; a table that is in use is tried for a bounded time), runs on a caller's
 * executor, and is idempotent.
 *
 * <p>A fence that is not <em>armed</em> refuses no write of a bucket without a fence row: it notes the bucket. So a live
 * placement is adopted in this order: scan, {@link #prepare}, {@link #installFence}, scan again, {@link #adopt}, {@link #arm}.
 */
public interface Shards {
    /** The version of the fence that {@link #installFence} brings; an older one in a sight wants an upgrade. */
    int fenceVersion();

    /** Looks and never writes; a fault becomes a problem in the sight, never an exception. */
    ShardSight look(ShardAccess shard, ShardedSchema schema);

    /** Counts rows per bucket. @throws ShardException when the shard cannot be read */
    Placement scan(ShardAccess shard, ShardedSchema schema) throws ShardException;

    /**
     * Brings the schema of the fence, not armed when it is new, and writes ownership of the given buckets as {@link #adopt}
     * does; locks no table of the application.
     */
    void prepare(ShardAccess shard, ShardedSchema schema, SortedSet<Integer> buckets) throws ShardException;

    /**
     * Installs or upgrades the fence, its triggers and the publication; writes no ownership. Armed when there was no fence:
     * such a shard must hold no rows. On an armed fence the rows of tables that were appended are looked at, before and after
     * their triggers stand.
     *
     * @throws MisplacedRowsException when a table holds rows of buckets that this shard does not own
     */
    void installFence(ShardAccess shard, ShardedSchema schema) throws ShardException;

    /**
     * Writes {@code OWNED} with epoch 1 for buckets that have no fence row at all; rows that exist stay as they are.
     * The commit is durable when the call returns.
     */
    void adopt(ShardAccess shard, SortedSet<Integer> buckets) throws ShardException;

    /**
     * Refuses writes of buckets without a fence row from now on; those that were written first until now become {@code OWNED}
     * in the same commit. To be called when the rows of every table were counted with every trigger in place.
     */
    void arm(ShardAccess shard, ShardedSchema schema) throws ShardException;

    /**
     * Forgets that buckets were adopted or first written here, for those that another shard holds; only before there is a
     * routing table.
     *
     * @throws MisplacedRowsException when one of them has rows here; nothing is forgotten then
     */
    void release(ShardAccess shard, ShardedSchema schema, SortedSet<Integer> buckets) throws ShardException;
}
