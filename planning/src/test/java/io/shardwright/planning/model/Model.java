package io.shardwright.planning.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A protocol as a transition system whose states fit into a few long words. */
interface Model {
    /** Words of a state. */
    int width();

    long[] initial();

    /** Tells every step that is possible in a state. */
    void steps(long[] state, Steps steps);

    /** What must never be true; empty when the state is good. */
    Optional<String> violation(long[] state);

    /** From every state a state of each goal must be reachable, or the scope is stuck. */
    List<Goal> goals();

    /** @param name what is reached, as a noun phrase */
    record Goal(String name, Predicate<long[]> reached) {}

    @FunctionalInterface
    interface Steps {
        void add(String label, long[] next);
    }
}
