package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Leg;

/**
 * What is wanted of a leg. A deletion takes back what has not been switched; it says nothing about what has been, so the soak,
 * or what the spec wants of it, goes on.
 */
final class LegIntents {
    private LegIntents() {}

    /** @param decided nothing of the move is left to switch */
    static Intent of(BucketMove move, Leg leg, boolean decided) {
        BucketMoveSpec.Intent wanted = move.getSpec().intent();
        if (leg == Leg.BACK) {
            return back(wanted);
        }
        // a pause is one of them: whoever deletes the object has not said that rows on the source may go now
        boolean ofWhatIsSwitched = decided
                && (wanted == BucketMoveSpec.Intent.REVERSE
                        || wanted == BucketMoveSpec.Intent.COMPLETE
                        || wanted == BucketMoveSpec.Intent.PAUSE);
        return move.isMarkedForDeletion() && !ofWhatIsSwitched ? Intent.ABORT : Intent.valueOf(wanted.name());
    }

    /** Whoever takes Reverse away decides against what has not gone back. */
    private static Intent back(BucketMoveSpec.Intent wanted) {
        return switch (wanted) {
            case REVERSE -> Intent.RUN;
            case PAUSE -> Intent.PAUSE;
            case RUN, ABORT, COMPLETE -> Intent.ABORT;
        };
    }
}
