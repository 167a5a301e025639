package io.shardwright.routing;

/** State of a fence row, and of a refusal. ABSENT: never owned here. DRAINING: a mover holds or awaits the lock. */
public enum FenceState {
    OWNED,
    MOVED,
    IMPORTING,
    ABORTED,
    ABSENT,
    DRAINING
}
