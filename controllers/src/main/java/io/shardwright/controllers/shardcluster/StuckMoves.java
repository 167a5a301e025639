package io.shardwright.controllers.shardcluster;

import io.shardwright.controllers.MovePhases;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MovePhase;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Since when moves of one cluster cannot go on by themselves. A step that failed is tried again, and meanwhile its move shows
 * another phase and asks for nothing: it is stuck all the same, and counted from the first time. What people want to stand
 * still (a soak, a pause, a suspended cluster, a window that is closed) is not stuck.
 */
final class StuckMoves {
    /** Longer than any try; so much later a move that got past its trouble is told to have done so. */
    private static final Duration A_TRY = Duration.ofMinutes(2);

    private static final Set<String> HOLDERS = Set.of("ShardCluster", "ShardPolicy");

    private final Map<String, Asked> asking = new HashMap<>();

    /** When a move was first seen to ask somebody for something, and when it did so last. */
    private record Asked(Instant since, Instant last) {}

    /** The oldest of those in phase Blocked; by their histories, so that a new leader knows it, too. */
    Optional<Instant> blockedSince(Collection<BucketMove> moves, Instant now) {
        return going(moves)
                .map(BucketMove::getStatus)
                .filter(status -> status != null && !isWanted(status))
                .map(status -> blockedSince(status.history(), now))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder());
    }

    /** From the first Blocked after which the move was never out of it for longer than a try. */
    private static Optional<Instant> blockedSince(List<BucketMoveStatus.Transition> history, Instant now) {
        Optional<Instant> since = Optional.empty();
        Instant left = now;
        Instant back = now;
        for (BucketMoveStatus.Transition one : history.reversed()) {
            Instant at = Instant.parse(one.at());
            if (one.to().equals(MovePhase.BLOCKED.wire())) {
                if (Duration.between(left, back).compareTo(A_TRY) >= 0) {
                    return since;
                }
                since = Optional.of(at);
                back = at;
            }
            left = at;
        }
        return since;
    }

    /** The oldest of those that need somebody: a gate that stays shut and a router that is silent included. */
    Optional<Instant> heldSince(Collection<BucketMove> moves, Instant now) {
        asking.keySet()
                .retainAll(going(moves).map(move -> move.getMetadata().getUid()).collect(Collectors.toSet()));
        going(moves)
                .filter(StuckMoves::needsSomebody)
                .forEach(move -> asking.merge(
                        move.getMetadata().getUid(),
                        new Asked(now, now),
                        (before, again) -> new Asked(before.since(), again.last())));
        asking.values().removeIf(asked -> Duration.between(asked.last(), now).compareTo(A_TRY) >= 0);
        return asking.values().stream().map(Asked::since).min(Comparator.naturalOrder());
    }

    /** A nextAction that says what one may do, and not what has to be done, asks for nothing. */
    private static boolean needsSomebody(BucketMove move) {
        BucketMoveStatus status = move.getStatus();
        if (status == null || status.nextAction() == null || isWanted(status)) {
            return false;
        }
        return switch (MovePhases.of(move)) {
            case PAUSED -> false;
            case PUBLISHING, REVERSIBLE, CLEANING_UP -> !status.blockedBy().isEmpty();
            default -> true;
        };
    }

    /** Somebody has suspended the cluster, announced maintenance, or said when moves may go on; but not so that nobody can read it. */
    private static boolean isWanted(BucketMoveStatus status) {
        return status.blockedBy().stream()
                        .findFirst()
                        .filter(one -> HOLDERS.contains(one.kind()))
                        .isPresent()
                && Conditions.find(status.conditions(), ConditionType.PROGRESSING)
                        .filter(one -> one.reason().equals(Reason.WINDOW_UNFIT.wire()))
                        .isEmpty();
    }

    private static Stream<BucketMove> going(Collection<BucketMove> moves) {
        return moves.stream().filter(move -> !MovePhases.of(move).terminal());
    }
}
