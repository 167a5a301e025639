package io.shardwright.dataplane;

/**
 * What controllers may ask of a shard about moves that nobody carries on any more. Each call works on one shard alone: the other
 * one may be gone for ever. Which move is gone, and what may go with it, is decided elsewhere.
 */
public interface Leftovers {
    /** Reads only, in one snapshot; a shard without a fence has nothing. @throws ShardException when it cannot be read */
    ShardTraces look(ShardAccess shard) throws ShardException;

    /**
     * Takes the trace over from whoever wrote it, so that no mover of it can do anything here any more, and removes what the order
     * says: fence rows first, then rows, then the slot, then the records. It may be repeated at any point; what is recorded still is
     * there still. Blocks as long as the deletion of rows takes.
     *
     * @throws ShardException when the trace is not as it was seen, the slot is being read, or the shard does not do it
     */
    void sweep(ShardAccess shard, ShardedSchema schema, SweepOrder order) throws ShardException;
}
