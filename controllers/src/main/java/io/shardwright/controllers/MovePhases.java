package io.shardwright.controllers;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.moves.MovePhase;

/** The phase that a move's status shows. */
public final class MovePhases {
    private MovePhases() {}

    /** Pending before the first status. */
    public static MovePhase of(BucketMove move) {
        return move.getStatus() == null || move.getStatus().phase() == null
                ? MovePhase.PENDING
                : MovePhase.fromWire(move.getStatus().phase());
    }
}
