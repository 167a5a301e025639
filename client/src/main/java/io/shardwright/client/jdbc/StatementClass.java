package io.shardwright.client.jdbc;

/** What a statement needs from the fence. Whatever is not known to be one of the others is a {@code WRITE}. */
enum StatementClass {
    /** Nothing: it writes nothing and calls only functions known to write nothing. */
    READ,
    /** The row trigger alone: {@code INSERT .. VALUES} of parameters and constants. */
    PLAIN_INSERT,
    /**
     * {@code enter} in front, in the same message also outside of a transaction: one INSERT, UPDATE, DELETE or MERGE that gives
     * no rows. The driver cuts a message of several statements in two when it may have to buffer rows, or when there are
     * hundreds; in autocommit each part would be a transaction.
     */
    CHANGE,
    /** {@code enter} in front; outside of a transaction, one is put around it. */
    WRITE,
    /** Nothing, and {@code enter} must not come before it: SET LOCAL, SET TRANSACTION, SET CONSTRAINTS. */
    SETTING,
    /** Refused: it would outlive the transaction, stay on the pooled connection, and be lost on another shard: SET, RESET. */
    SESSION_SETTING,
    /** An explicit transaction around it, because it could commit by itself: CALL, DO. */
    PROCEDURE,
    /** Refused: transactions are controlled by JDBC calls, else the library would not know where they end. */
    CONTROL
}
