package io.shardwright.controllers;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.moves.MovePhase;

/** The phase that a move's status shows. */
public final class MovePhases {
    private static final String REVERSED = "Reversed";

    private MovePhases() {}

    /** A person has had it taken back after its switch. */
    public static boolean isReversed(BucketMove move) {
        return move.getStatus() != null && REVERSED.equals(move.getStatus().phase());
    }

    /** Nothing of it will be done any more. */
    public static boolean hasEnded(BucketMove move) {
        return isReversed(move) || of(move).terminal();
    }

    /** Pending before the first status. */
    public static MovePhase of(BucketMove move) {
        return move.getStatus() == null || move.getStatus().phase() == null
                ? MovePhase.PENDING
                : MovePhase.fromWire(move.getStatus().phase());
    }
}
