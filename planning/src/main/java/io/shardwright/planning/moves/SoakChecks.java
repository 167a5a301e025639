package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What lies between the last publication and the cleanup: the stream of the way there ends, and what has moved can be taken
 * back for as long as the soak lasts.
 */
final class SoakChecks {
    private SoakChecks() {}

    /** The phase of a move that is published, and has its cleanup before it. */
    static MovePhase phase(Situation now) {
        if (now.seen().pointOfNoReturn()) {
            return MovePhase.CLEANING_UP;
        }
        return mayBeTakenBack(now) && !now.seen().task().soak().isZero() ? MovePhase.REVERSIBLE : MovePhase.PUBLISHING;
    }

    /** As far as the protocol goes; whether the way back still follows is another question. */
    static boolean mayBeTakenBack(Situation now) {
        return keepsSourceRows(now) && now.wayBack().isOpen();
    }

    /** What has moved is still on the source, too. */
    static boolean keepsSourceRows(Situation now) {
        return now.isWayThere()
                && now.allDecided()
                && !now.standing().moved().isEmpty()
                && !now.seen().pointOfNoReturn();
    }

    /** An abort of the rest has ended the stream already. */
    static Optional<MoveDecision> retire(Situation now) {
        boolean ended = now.stage() == MoveObservation.Stage.RETIRED
                || !now.standing().unmoved().isEmpty();
        if (!mayBeTakenBack(now) || ended) {
            return Optional.empty();
        }
        return now.seen().mover().running().isPresent()
                ? now.await(
                        phase(now),
                        "the mover runs " + now.seen().mover().running().get(),
                        "its end")
                : now.actOnAll(
                        phase(now),
                        MoveStep.RETIRE,
                        "all is activated; the log of " + now.seen().task().from() + " is needed no more");
    }

    static Optional<MoveDecision> turnBack(Situation now) {
        boolean wanted = now.seen().intent() == MoveObservation.Intent.REVERSE
                && now.isWayThere()
                && now.allDecided()
                && !now.seen().pointOfNoReturn();
        if (!wanted) {
            return Optional.empty();
        }
        WayBack back = now.wayBack();
        if (!back.isOpen()) {
            return refused(
                    now, "the reversal has ended; " + Scope.words(now.standing().moved()) + " were not taken back");
        }
        if (back.isLost()) {
            return refused(now, "this move cannot be reversed: " + back.loss());
        }
        if (back.isBusy() || !back.follows()) {
            return back.fault().isPresent()
                    ? Optional.of(WayBackChecks.cooling(now))
                    : now.await(phase(now), "the way back is not free yet", "the end of what its mover does");
        }
        return now.truthAge().compareTo(CleanupChecks.FRESH) >= 0
                ? now.actOnAll(phase(now), MoveStep.OBSERVE, "ownership is read once more before the move turns back")
                : now.actOnAll(MovePhase.REVERSING, MoveStep.TURN_BACK, "the reversal was asked for");
    }

    /** Nothing is deleted while somebody wants it back. */
    private static Optional<MoveDecision> refused(Situation now, String why) {
        MoveObservation.Task task = now.seen().task();
        return Optional.of(new MoveDecision.Wait(
                MovePhase.BLOCKED,
                why + "; nothing is deleted while spec.intent is Reverse",
                "spec.intent Run, which deletes the rows on " + task.from() + " in its time; to bring the buckets back"
                        + " after that create a BucketMove from " + task.to() + " to " + task.from(),
                Optional.empty(),
                List.of()));
    }

    static Optional<MoveDecision> soak(Situation now) {
        Duration rest = now.seen().soakLeft();
        if (!keepsSourceRows(now) || !rest.isPositive()) {
            return Optional.empty();
        }
        return now.wayBack().isLost()
                ? now.await(
                        phase(now),
                        "the rows on " + now.seen().task().from() + " are kept, but the move cannot be reversed: "
                                + now.wayBack().loss(),
                        "the end of the soak; or spec.intent Complete",
                        rest)
                : now.await(
                        phase(now),
                        "everything is switched and published, and can be taken back",
                        "the end of the soak; or spec.intent Reverse, or Complete",
                        rest);
    }
}
