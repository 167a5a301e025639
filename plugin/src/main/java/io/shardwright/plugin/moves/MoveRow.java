package io.shardwright.plugin.moves;

import io.shardwright.crds.Blocker;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.plugin.Phases;
import io.shardwright.plugin.text.Ages;
import io.shardwright.plugin.text.Buckets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One move; null is what its status does not say.
 *
 * @param reversal phase of its way back, once that has begun
 * @param holdMs longest hold of its switches so far, and {@code predictedHoldMs} what the next one is expected to cost
 */
record MoveRow(
        String name,
        String cluster,
        String from,
        String to,
        List<Integer> buckets,
        List<String> keys,
        String intent,
        String phase,
        String reversal,
        Long rowsCopied,
        Long rowsTotal,
        Long lagBytes,
        Double holdMs,
        Double predictedHoldMs,
        String createdAt,
        List<Blocker> blockedBy,
        String nextAction) {

    static MoveRow of(BucketMove move) {
        Optional<BucketMoveStatus> status = Optional.ofNullable(move.getStatus());
        Optional<BucketMoveStatus.Progress> progress = status.map(BucketMoveStatus::progress);
        Optional<BucketMoveStatus.Hold> hold = status.map(BucketMoveStatus::hold);
        return new MoveRow(
                move.getMetadata().getName(),
                move.getSpec().clusterRef().name(),
                move.getSpec().from(),
                move.getSpec().to(),
                move.getSpec().buckets(),
                move.getSpec().keys(),
                move.getSpec().intent().wire(),
                Phases.of(move),
                status.map(BucketMoveStatus::reversal)
                        .map(BucketMoveStatus.Reversal::phase)
                        .orElse(null),
                progress.map(BucketMoveStatus.Progress::rowsCopied).orElse(null),
                progress.map(BucketMoveStatus.Progress::rowsTotal).orElse(null),
                progress.map(BucketMoveStatus.Progress::lagBytes).orElse(null),
                hold.map(BucketMoveStatus.Hold::actualMs).orElse(null),
                hold.map(BucketMoveStatus.Hold::predictedMs).orElse(null),
                move.getMetadata().getCreationTimestamp(),
                status.map(BucketMoveStatus::blockedBy).orElse(List.of()),
                status.map(BucketMoveStatus::nextAction).orElse(null));
    }

    String[] cells(Instant now) {
        return new String[] {
            name,
            from,
            to,
            keys.isEmpty() ? Buckets.text(buckets) : keys.size() + (keys.size() == 1 ? " key" : " keys"),
            intent,
            reversal == null || reversal.equals(phase) ? phase : phase + "/" + reversal,
            rows(),
            lagBytes == null ? "" : lagBytes.toString(),
            hold(),
            Ages.text(createdAt, now)
        };
    }

    private String rows() {
        if (rowsCopied == null) {
            return "";
        }
        return rowsTotal == null ? rowsCopied.toString() : rowsCopied + "/" + rowsTotal;
    }

    /** Measured, and in brackets what is predicted. */
    private String hold() {
        String measured = holdMs == null ? "" : millis(holdMs);
        String predicted = predictedHoldMs == null ? "" : "(" + millis(predictedHoldMs) + ")";
        return (measured + " " + predicted).strip();
    }

    private static String millis(double millis) {
        return Math.round(millis) + "ms";
    }

    /** What a table has no room for, one line for each; empty when nothing is waited for and nothing is to be done. */
    String remarks() {
        StringBuilder text = new StringBuilder();
        blockedBy.forEach(blocker -> text.append("  ")
                .append(name)
                .append(" waits for ")
                .append(blocker.kind())
                .append(' ')
                .append(blocker.name())
                .append(blocker.reason() == null ? "" : ": " + blocker.reason())
                .append(blocker.since() == null ? "" : " (since " + blocker.since() + ")")
                .append('\n'));
        if (nextAction != null && !nextAction.isEmpty()) {
            text.append("  ").append(name).append(" next: ").append(nextAction).append('\n');
        }
        return text.toString();
    }
}
