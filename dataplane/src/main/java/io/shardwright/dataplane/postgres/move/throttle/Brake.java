package io.shardwright.dataplane.postgres.move.throttle;

import io.shardwright.dataplane.postgres.move.truth.MoverFault;

/** Asked before each piece of work that can wait. */
@FunctionalInterface
public interface Brake {
    /** For work that must not wait, because it sets free what others need. */
    Brake NONE = () -> {};

    /** Returns when the next piece may begin. @throws MoverFault when none may begin any more */
    void awaitRelease() throws MoverFault;

    /** The piece that was released last has brought so much. */
    default void copied(long bytes) {}
}
