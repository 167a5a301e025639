package io.shardwright.controllers.world;

import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Reversal;

/** Statuses of a move of which only little matters to a test. */
public final class MoveStatuses {
    private MoveStatuses() {}

    /** @param reversal null before it has begun */
    public static BucketMoveStatus at(String phase, Reversal reversal) {
        return status(phase, null, reversal);
    }

    /** @param until end of the soak, null where none was told */
    public static BucketMoveStatus soaking(String until) {
        return status("Reversible", until, null);
    }

    private static BucketMoveStatus status(String phase, String until, Reversal reversal) {
        return new BucketMoveStatus(
                1L, phase, null, null, null, null, null, until, reversal, null, null, null, null, null);
    }
}
