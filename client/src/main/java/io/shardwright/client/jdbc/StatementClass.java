package io.shardwright.client.jdbc;

/** What a statement needs from the fence. Whatever is not known to be one of the others is a {@code WRITE}. */
enum StatementClass {
    /** Nothing: it writes nothing and calls only functions known to write nothing. */
    READ,
    /** The row trigger alone: {@code INSERT .. VALUES} of parameters and constants. */
    PLAIN_INSERT,
    /** {@code enter} in front. */
    WRITE,
    /** Nothing, and {@code enter} must not come before it: SET, RESET. */
    SETTING,
    /** An explicit transaction around it, because it could commit by itself: CALL, DO. */
    PROCEDURE,
    /** Refused: transactions are controlled by JDBC calls, else the library would not know where they end. */
    CONTROL
}
