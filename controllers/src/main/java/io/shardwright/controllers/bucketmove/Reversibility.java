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
import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.WayBack;
import io.shardwright.planning.moves.MoveObservation.WayBack.Outcome;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import java.util.Arrays;
import java.util.Optional;

/** Whether what was switched can be switched back, and why not: one answer for the condition, the advice and the event. */
record Reversibility(Reason reason, String message) {

    /** @param stored counts while the databases are unread, and for what was lost or found different before this leader */
    static Reversibility of(SeenMove seen, MoveDecision decision, BucketMoveStatus stored) {
        MovePhase phase = seen.phase(decision.phase());
        Optional<Reversibility> reversal = ofReversal(seen, decision, phase, stored);
        if (reversal.isPresent()) {
            return reversal.get();
        }
        if (seen.observation().pointOfNoReturn() || phase == MovePhase.CLEANING_UP || phase == MovePhase.SUCCEEDED) {
            return new Reversibility(
                    Reason.SOAK_OVER, "rows on " + seen.move().getSpec().from() + " may be gone");
        }
        Optional<Reversibility> known = known(stored);
        if (seen.arrived().isEmpty() && known.isPresent()) {
            return unread(seen, known.get());
        }
        return seen.arrived().filter(buckets -> !buckets.isEmpty()).isEmpty()
                ? of(Reason.NOT_SWITCHED)
                : ofWayBack(seen, known);
    }

    /** That a stream runs is known only to the leader whose stream it is. */
    private static Reversibility unread(SeenMove seen, Reversibility before) {
        boolean doubtful = before.reason() == Reason.REVERSIBLE
                && !seen.observation().wayBack().follows();
        return doubtful ? of(Reason.WAY_BACK_OPENING) : before;
    }

    private static Optional<Reversibility> ofReversal(
            SeenMove seen, MoveDecision decision, MovePhase phase, BucketMoveStatus stored) {
        boolean begins = decision instanceof MoveDecision.Act act && act.step() == MoveStep.TURN_BACK;
        if (seen.leg() == Leg.BACK || begins) {
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
        if (back.difference().isPresent()) {
            return new Reversibility(Reason.DIVERGED, back.difference().get().message());
        }
        Optional<Reversibility> differed =
                known.filter(before -> before.reason() == Reason.DIVERGED && back.differed());
        if (differed.isPresent()) {
            return differed.get();
        }
        if (back.follows()) {
            return soaks(seen) ? of(Reason.REVERSIBLE) : of(Reason.SOAK_OVER);
        }
        Optional<MoveFault> fault = back.mover().fault().or(back.mover()::retried);
        if (fault.filter(one -> !one.curable()).isPresent()) {
            return new Reversibility(Reason.WAY_BACK_LOST, fault.get().message());
        }
        return known.filter(before -> before.reason() == Reason.WAY_BACK_LOST)
                .orElseGet(() -> new Reversibility(
                        Reason.WAY_BACK_OPENING,
                        fault.map(MoveFault::message).orElse(Reason.WAY_BACK_OPENING.meaning())));
    }

    /** It soaks, or has not begun to. */
    static boolean soaks(SeenMove seen) {
        MoveObservation observation = seen.observation();
        return observation.intent() != Intent.COMPLETE
                && observation.foldedFor().compareTo(observation.task().soak()) < 0;
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
