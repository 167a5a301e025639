package io.shardwright.dataplane.postgres.move.apply;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** The last measurements of what a switch is made of, in milliseconds; thread-safe. */
public final class Samples {
    /** Fewer say nothing about a 95th percentile. */
    private static final int FEWEST = 10;

    private static final int KEPT = 60;

    private final Ring sourceCommit = new Ring();
    private final Ring targetCommit = new Ring();
    private final Ring hop = new Ring();
    private final Ring transactionAge = new Ring();
    private final Ring applyBytesPerMs = new Ring();

    private static final class Ring {
        private final double[] values = new double[KEPT];
        private int count;

        synchronized void add(double value) {
            values[count++ % KEPT] = value;
        }

        synchronized void forget() {
            count = 0;
        }

        synchronized OptionalDouble percentile(double share) {
            int size = Math.min(count, KEPT);
            if (size < FEWEST) {
                return OptionalDouble.empty();
            }
            double[] sorted = Arrays.copyOf(values, size);
            Arrays.sort(sorted);
            return OptionalDouble.of(sorted[(int) Math.ceil(share * size) - 1]);
        }
    }

    /** What was measured while the stream had a backlog says nothing about a switch. */
    public void forget() {
        List.of(sourceCommit, targetCommit, hop, transactionAge, applyBytesPerMs)
                .forEach(Ring::forget);
    }

    void sourceCommit(long nanos) {
        sourceCommit.add(nanos / 1e6);
    }

    void targetCommit(long nanos) {
        targetCommit.add(nanos / 1e6);
    }

    void hop(long nanos) {
        hop.add(nanos / 1e6);
    }

    /** @param ms age of the oldest transaction that holds the scope, 0 when none does */
    public void transactionAge(double ms) {
        transactionAge.add(ms);
    }

    void applied(long bytes, long nanos) {
        applyBytesPerMs.add(bytes / Math.max(1e-3, nanos / 1e6));
    }

    public OptionalDouble sourceCommitMs() {
        return sourceCommit.percentile(0.95);
    }

    public OptionalDouble targetCommitMs() {
        return targetCommit.percentile(0.95);
    }

    public OptionalDouble hopMs() {
        return hop.percentile(0.95);
    }

    public OptionalDouble transactionAgeMs() {
        return transactionAge.percentile(0.95);
    }

    /** Of the median group: small groups are slow by the byte, and a tail is small. */
    public OptionalDouble applyBytesPerMs() {
        return applyBytesPerMs.percentile(0.5);
    }
}
