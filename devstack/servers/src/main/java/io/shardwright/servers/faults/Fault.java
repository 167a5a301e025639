package io.shardwright.servers.faults;

/** What happens at an effect, once. */
public enum Fault {
    /** The server never hears of it; both ends see a connection that broke. */
    CUT_BEFORE,
    /** The server has done it and answered; the client sees a connection that broke. */
    CUT_AFTER,
    /** The server has done it and answered; the client hears nothing, now or later, and its connection stays open. */
    DROP_ANSWER,
    /** The server hears of it when {@link FaultProxy#release} is called. */
    HOLD_REQUEST,
    /** The server has done it and answered; the client hears of it when {@link FaultProxy#release} is called. */
    HOLD_ANSWER
}
