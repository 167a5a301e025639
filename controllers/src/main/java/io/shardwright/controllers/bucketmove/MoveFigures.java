package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.Blocker;
import io.shardwright.crds.Condition;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import java.util.Objects;

/** Tells what of a status may wait a second (progress, holds, switches, counts, wording) from what may not, and what proves. */
final class MoveFigures {
    private MoveFigures() {}

    /** Both say the same but for figures. */
    static boolean onlyFiguresDiffer(BucketMoveStatus one, BucketMoveStatus other) {
        return without(one).equals(without(other));
    }

    /** Whoever finds the one knows as much of what cannot have begun, and of what must never be forgotten, as by the other. */
    static boolean proveTheSame(BucketMoveStatus one, BucketMoveStatus other) {
        return Objects.equals(one.phase(), other.phase())
                && Objects.equals(one.reversal(), other.reversal())
                && Objects.equals(one.pointOfNoReturn(), other.pointOfNoReturn())
                && Reversibility.differed(one) == Reversibility.differed(other);
    }

    /** The same status, said of a newer generation. */
    static BucketMoveStatus at(BucketMoveStatus status, Long generation) {
        return new BucketMoveStatus(
                generation,
                status.phase(),
                status.progress(),
                status.hold(),
                status.switches(),
                status.verification(),
                status.acks(),
                status.reversibleUntil(),
                status.reversal(),
                status.pointOfNoReturn(),
                status.blockedBy(),
                status.nextAction(),
                status.history(),
                status.conditions());
    }

    private static BucketMoveStatus without(BucketMoveStatus status) {
        return new BucketMoveStatus(
                status.observedGeneration(),
                status.phase(),
                null,
                null,
                null,
                status.verification(),
                null,
                null,
                status.reversal(),
                status.pointOfNoReturn(),
                status.blockedBy().stream()
                        .map(one -> new Blocker(one.kind(), one.name(), one.since(), null))
                        .toList(),
                status.nextAction() == null ? null : "",
                status.history(),
                status.conditions().stream().map(MoveFigures::without).toList());
    }

    private static Condition without(Condition one) {
        return new Condition(
                one.type(), one.status(), one.reason(), "", one.lastTransitionTime(), one.observedGeneration());
    }
}
