package io.shardwright.routing;

/** A document that is no routing table. The router keeps its last good one and says why (NACK). */
public class MalformedTableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public MalformedTableException(String message, Throwable cause) {
        super(message, cause);
    }
}
