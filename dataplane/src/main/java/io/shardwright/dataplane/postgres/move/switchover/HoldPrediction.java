package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.apply.Samples;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a switch would cost now, in milliseconds: the wait for open transactions, a commit on the source, the hop through the
 * log, the rows that are still to come, a commit on the target. Unknown is not zero: without measurements there is no
 * prediction and so no switch.
 */
record HoldPrediction(double drain, double fence, double hop, double tail, double activation) {
    /**
     * Transactions that were longer than a drain may take make no hold longer: it gives up before, so after them the next
     * gap can be used at once.
     *
     * @param drainTimeout a drain ends by then, one way or the other
     * @return empty = unknown
     */
    static Optional<HoldPrediction> of(Samples samples, long pendingBytes, Duration drainTimeout) {
        OptionalDouble drain = samples.transactionAgeMs();
        OptionalDouble fence = samples.sourceCommitMs();
        OptionalDouble hop = samples.hopMs();
        OptionalDouble activation = samples.targetCommitMs();
        OptionalDouble rate = samples.applyBytesPerMs();
        if (drain.isEmpty() || fence.isEmpty() || hop.isEmpty() || activation.isEmpty() || rate.isEmpty()) {
            return Optional.empty();
        }
        double tail = pendingBytes / Math.max(1e-6, rate.getAsDouble());
        return Optional.of(new HoldPrediction(
                Math.min(drain.getAsDouble(), drainTimeout.toNanos() / 1e6),
                fence.getAsDouble(),
                hop.getAsDouble(),
                tail,
                activation.getAsDouble()));
    }

    double totalMs() {
        return drain + fence + hop + tail + activation;
    }

    @Override
    public String toString() {
        return "%.1f ms (drain %.1f, fence %.1f, hop %.1f, tail %.1f, activation %.1f)"
                .formatted(totalMs(), drain, fence, hop, tail, activation);
    }
}
