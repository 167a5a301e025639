package io.shardwright.planning.moves;

import java.time.Duration;

/**
 * Why a command of the mover, or the stream that it has left running, ended badly.
 *
 * @param curable repeated, or helped from outside, it may still succeed
 * @param message what was seen
 * @param nextAction what a person can do
 * @param age since it was reported; a curable fault is tried again when it is old enough
 * @param times how often the same command, or the stream, has failed in a row, this one included
 */
public record MoveFault(Kind kind, boolean curable, String message, String nextAction, Duration age, int times) {
    /** The same names as the mover's report gives. */
    public enum Kind {
        UNREACHABLE,
        /** the source of the leg refuses every write, and can be read */
        SOURCE_READ_ONLY,
        VALIDATION,
        FOREIGN_ROWS,
        SCHEMA_CHANGED,
        POSITION_LOST,
        DIVERGED,
        /** another mover of this move holds a newer token */
        SUPERSEDED,
        /** the watchdog, or another abort, was first */
        DECIDED_AGAINST,
        /** the older of two owners could not be closed */
        TWO_OWNERS,
        /** the source has taken buckets back by force, and the target does not answer */
        RECLAIMED,
        OTHER
    }
}
