package io.shardwright.dataplane;

/** Rows were found on a shard that does not own their buckets; they stay as they are until people have decided. */
public final class MisplacedRowsException extends ShardException {
    private static final long serialVersionUID = 1L;

    public MisplacedRowsException(String message) {
        super(message, false, null);
    }
}
