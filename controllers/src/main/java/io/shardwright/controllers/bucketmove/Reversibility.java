package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveFault;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.planning.moves.WayBack;
import io.shardwright.planning.moves.WayBack.Outcome;
import java.util.Arrays;
import java.util.Optional;

/** Whether what was switched can be switched back, and why not: one answer for the condition, the advice and the event. */
record Reversibility(Reason reason, String message) {

    /**
     * A difference comes before what became of the reversal: nothing is deleted after it, whoever leads, so it is never told less.
     *
     * @param stored counts while the databases are unread, and for what was lost or found different before this leader
     */
    static Reversibility of(SeenMove seen, MoveDecision decision, BucketMoveStatus stored) {
        MovePhase phase = seen.phase(decision.phase());
        Optional<Reversibility> known = known(stored);
        return difference(seen, phase, known)
                .or(() -> ofReversal(seen, decision, phase, stored))
                .orElseGet(() -> ofWayThere(seen, phase, known));
    }

    private static Reversibility ofWayThere(SeenMove seen, MovePhase phase, Optional<Reversibility> known) {
        if (mayBeDeleted(seen, phase)) {
            return new Reversibility(
                    Reason.SOAK_OVER, "rows on " + seen.move().getSpec().from() + " may be gone");
        }
        if (seen.arrived().isEmpty() && known.isPresent()) {
            return unread(seen, known.get());
        }
        return seen.arrived().filter(buckets -> !buckets.isEmpty()).isEmpty()
                ? of(Reason.NOT_SWITCHED)
                : ofWayBack(seen, known);
    }

    private static boolean mayBeDeleted(SeenMove seen, MovePhase phase) {
        boolean there = seen.leg() == Leg.THERE;
        return there && seen.observation().pointOfNoReturn()
                || phase == MovePhase.CLEANING_UP
                || phase == MovePhase.SUCCEEDED;
    }

    /**
     * What was found by the mover of the way back, before or after that has begun, or is stored and was not found equal since. A
     * failover that gives a bucket a second owner, or takes the only one away, makes nothing equal.
     */
    private static Optional<Reversibility> difference(SeenMove seen, MovePhase phase, Optional<Reversibility> known) {
        if (seen.leg() == Leg.THERE && seen.isAllAtHome() || mayBeDeleted(seen, phase)) {
            return Optional.empty();
        }
        MoveObservation observation = seen.observation();
        boolean back = seen.leg() == Leg.BACK;
        WayBack way = observation.wayBack();
        Optional<MoveFault> found = back ? differing(observation.mover()) : way.difference();
        boolean stands = back ? observation.mover().stage() != Stage.VERIFIED : way.isKnownToDiffer();
        return found.map(fault -> new Reversibility(Reason.DIVERGED, fault.message()))
                .or(() -> known.filter(before -> before.reason() == Reason.DIVERGED && stands));
    }

    private static Optional<MoveFault> differing(MoverView mover) {
        return mover.fault().or(mover::retried).filter(fault -> fault.kind() == MoveFault.Kind.DIVERGED);
    }

    /** That a stream runs is known only to the leader whose stream it is. */
    private static Reversibility unread(SeenMove seen, Reversibility before) {
        boolean doubtful = before.reason() == Reason.REVERSIBLE
                && !seen.observation().wayBack().follows();
        return doubtful ? of(Reason.WAY_BACK_OPENING) : before;
    }

    private static Optional<Reversibility> ofReversal(
            SeenMove seen, MoveDecision decision, MovePhase phase, BucketMoveStatus stored) {
        if (seen.leg() == Leg.BACK || decision.takes(MoveStep.TURN_BACK)) {
            return Optional.of(of(Reason.REVERSING));
        }
        if (stored.reversal() == null) {
            return Optional.empty();
        }
        boolean kept = seen.arrived().filter(buckets -> !buckets.isEmpty()).isPresent();
        if (kept || seen.observation().wayBack().outcome() == Outcome.DECIDED_AGAINST) {
            return Optional.of(of(Reason.REVERSAL_ABORTED));
        }
        return Optional.of(of(phase == MovePhase.REVERSED ? Reason.REVERSED : Reason.REVERSING));
    }

    private static Reversibility ofWayBack(SeenMove seen, Optional<Reversibility> known) {
        WayBack back = seen.observation().wayBack();
        if (back.follows()) {
            return soaks(seen) ? of(Reason.REVERSIBLE) : of(Reason.SOAK_OVER);
        }
        Optional<MoveFault> fault = back.fault();
        if (fault.filter(WayBack::loses).isPresent()) {
            return new Reversibility(Reason.WAY_BACK_LOST, fault.get().message());
        }
        return known.filter(before -> before.reason() == Reason.WAY_BACK_LOST)
                .orElseGet(() -> new Reversibility(
                        Reason.WAY_BACK_OPENING,
                        fault.map(MoveFault::message).orElse(Reason.WAY_BACK_OPENING.meaning())));
    }

    /** It soaks, or has not begun to. */
    static boolean soaks(SeenMove seen) {
        return seen.observation().soakLeft().isPositive();
    }

    /** The last comparison that was told found a difference. */
    static boolean differed(BucketMoveStatus stored) {
        return Optional.ofNullable(stored)
                .flatMap(Reversibility::known)
                .filter(before -> before.reason() == Reason.DIVERGED)
                .isPresent();
    }

    private static Optional<Reversibility> known(BucketMoveStatus stored) {
        return Conditions.find(stored.conditions(), ConditionType.REVERSIBLE)
                .flatMap(before -> reason(before).map(reason -> new Reversibility(reason, before.message())));
    }

    private static Optional<Reason> reason(Condition condition) {
        return Arrays.stream(Reason.values())
                .filter(reason -> reason.wire().equals(condition.reason()))
                .findFirst();
    }

    private static Reversibility of(Reason reason) {
        return new Reversibility(reason, reason.meaning());
    }

    ConditionStatus status() {
        return ConditionStatus.of(reason == Reason.REVERSIBLE);
    }
}
