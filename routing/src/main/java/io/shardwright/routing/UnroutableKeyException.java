package io.shardwright.routing;

/** A value that is no shard key of this cluster. Thrown before any I/O; there is no default shard. */
public class UnroutableKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public UnroutableKeyException(String message) {
        super(message);
    }
}
