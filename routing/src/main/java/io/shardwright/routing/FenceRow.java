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
public record FenceRow(Scope scope, FenceState state, long epoch, String owner, UUID moveId) {
    /** The row of a bucket. */
    public FenceRow(int bucket, FenceState state, long epoch, String owner, UUID moveId) {
        this(Scope.bucket(bucket), state, epoch, owner, moveId);
    }

    /** The same said of another scope. */
    public FenceRow of(Scope other) {
        return new FenceRow(other, state, epoch, owner, moveId);
    }

    /** The bucket that the scope is, or lies in. */
    public int bucket() {
        return scope.bucket();
    }
}
