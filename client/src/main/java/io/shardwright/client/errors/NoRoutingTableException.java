package io.shardwright.client.errors;

/** This router has never had a table: no feed answered, and no file had one. Work is refused until one comes. */
public class NoRoutingTableException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public NoRoutingTableException(String message) {
        super(message);
    }
}
