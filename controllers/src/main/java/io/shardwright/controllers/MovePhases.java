package io.shardwright.controllers;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.moves.MovePhase;
import java.util.Optional;

/** The phases that a move's status shows: of the move, and of its reversal. */
public final class MovePhases {
    private MovePhases() {}

    /** A person has had it taken back after its switch. */
    public static boolean isReversed(BucketMove move) {
        return of(move) == MovePhase.REVERSED;
    }

    /** Nothing of it will be done any more. */
    public static boolean hasEnded(BucketMove move) {
        return of(move).terminal();
    }

    /** All is switched and published; what is left is to wait whether somebody wants it back. */
    public static boolean soaks(BucketMove move) {
        return of(move) == MovePhase.REVERSIBLE;
    }

    /** Pending before the first status. */
    public static MovePhase of(BucketMove move) {
        return move.getStatus() == null || move.getStatus().phase() == null
                ? MovePhase.PENDING
                : MovePhase.fromWire(move.getStatus().phase());
    }

    /** Empty before a reversal has begun; terminal once it has ended. */
    public static Optional<MovePhase> ofReversal(BucketMove move) {
        return move.getStatus() == null || move.getStatus().reversal() == null
                ? Optional.empty()
                : Optional.of(MovePhase.fromWire(move.getStatus().reversal().phase()));
    }

    /** The move is being switched back now. */
    public static boolean reverses(BucketMove move) {
        return ofReversal(move).filter(phase -> !phase.terminal()).isPresent();
    }

    /** As the other work on its databases must see it: a reversal that switches is a switch. */
    public static MovePhase underWay(BucketMove move) {
        return ofReversal(move).filter(phase -> phase == MovePhase.SWITCHING).orElseGet(() -> of(move));
    }
}
