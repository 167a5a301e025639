package io.shardwright.client.errors;

/** Work without a shard key. Thrown before any I/O; there is no default shard. */
public class MissingShardKeyException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public MissingShardKeyException(String message) {
        super(message);
    }
}
