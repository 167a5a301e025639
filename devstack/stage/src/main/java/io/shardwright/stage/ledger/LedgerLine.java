package io.shardwright.stage.ledger;

/**
 * An operation with what became of it.
 *
 * @param endMicros when the answer came, in microseconds of the epoch; 0 when none came
 */
public record LedgerLine(LedgerEntry entry, Outcome outcome, long endMicros) {
    /** From the intended send time to the answer, in milliseconds. */
    public double waitMs() {
        return (endMicros - entry.intendedMicros()) / 1000.0;
    }
}
