package io.shardwright.servers.faults;

/** What happens at a call that changes something in the API server, once. */
public enum ApiFault {
    /** The client's process dies: the server hears neither of this call nor of any other, and nobody gets an answer. */
    KILL_BEFORE,
    /** The server has done it; then as {@link #KILL_BEFORE}. */
    KILL_AFTER,
    /** The server has done it and answered; the client sees a connection that broke. */
    CUT_AFTER,
    /** The server never hears of it; the client is told that the object has changed meanwhile. */
    CONFLICT,
    /** The server hears of it when it is repeated for the second time: a client repeats once before it tells anybody. */
    TOO_MANY_REQUESTS,
    /** As {@link #TOO_MANY_REQUESTS}, with the answer of a server that is broken. */
    SERVER_ERROR,
    /** The client's watches end before the server hears of it. */
    CLOSE_WATCHES,
    /** As {@link #CLOSE_WATCHES}, and what they have shown is too old to go on from. */
    EXPIRE_WATCHES
}
