package io.shardwright.controllers.world;

import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Reversal;
import java.util.Optional;

/** Statuses of a move of which only little matters to a test, and what statuses say. */
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

    /** What a condition that is there says, as in {@code False Diverged}. */
    public static String said(BucketMoveStatus status, ConditionType type) {
        return condition(status, type)
                .map(one -> one.status() + " " + one.reason())
                .orElseThrow();
    }

    public static Optional<Condition> condition(BucketMoveStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type);
    }
}
