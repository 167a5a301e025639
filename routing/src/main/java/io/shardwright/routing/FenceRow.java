package io.shardwright.routing;

import java.util.UUID;

/**
 * One row of a shard's fence. The fence rows of the shard databases are the truth about ownership; tables and statuses
 * are rewritten from them.
 *
 * @param state OWNED, MOVED, IMPORTING or ABORTED; an absent row is no row
 * @param owner hint, may be null
 * @param moveId may be null
 */
public record FenceRow(int bucket, FenceState state, long epoch, String owner, UUID moveId) {}
