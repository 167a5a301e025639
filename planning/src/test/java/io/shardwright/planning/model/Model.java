package io.shardwright.planning.model;

import java.util.Optional;

/** A protocol as a transition system whose states fit into a few long words. */
interface Model {
    /** Words of a state. */
    int width();

    long[] initial();

    /** Tells every step that is possible in a state. */
    void steps(long[] state, Steps steps);

    /** What must never be true; empty when the state is good. */
    Optional<String> violation(long[] state);

    /** Some shard accepts writes. From every state such a state must be reachable, or the scope is stuck. */
    boolean served(long[] state);

    @FunctionalInterface
    interface Steps {
        void add(String label, long[] next);
    }
}
