package io.shardwright.operator;

/** Ends the process at once, without asking anything that runs in it. */
@FunctionalInterface
public interface ProcessEnd {
    void now(Cause cause, String message);

    /** Why, as exit code. */
    enum Cause {
        /** another replica leads, or may lead, and nothing here may go on acting */
        LEASE_LOST(1),
        /** the orderly stop took too long */
        STOP_TIMED_OUT(2),
        /** a routing table shows a newer term than ours */
        SUPERSEDED(3),
        /** a cache that reconciling relies on has died */
        CACHE_LOST(4),
        /** an Error (no memory, a class that cannot be loaded) has left reconciling in a state that nobody knows */
        BROKEN(5);

        private final int exitCode;

        Cause(int exitCode) {
            this.exitCode = exitCode;
        }

        public int exitCode() {
            return exitCode;
        }
    }
}
