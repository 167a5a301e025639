package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** What the fence rows forbid, whatever is wanted. */
final class TruthChecks {
    static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

    private TruthChecks() {}

    static Optional<MoveDecision> abortedWithoutATrace(Situation now) {
        return leftNoTrace(now)
                ? Optional.of(new MoveDecision.Done(MovePhase.ABORTED, "aborted before anything had begun"))
                : Optional.empty();
    }

    /** Nothing was written, so no failover can have changed what counts; of a way back its stream is there to be closed. */
    static boolean leftNoTrace(Situation now) {
        return now.isWayThere()
                && now.seen().abortWanted()
                && EntryChecks.onlyLooked(now.seen().stored())
                && !now.standing().begun()
                && !now.runs(MoveStep.PREPARE);
    }

    /** A switch, an abort and a cleanup are not interrupted: the first lasts two seconds at most, the others are wanted. */
    static Optional<MoveDecision> undividedCommand(Situation now) {
        if (now.runs(MoveStep.SWITCH)) {
            return now.await(MovePhase.SWITCHING, "a group is being switched", "the end of the attempt");
        }
        if (now.runs(MoveStep.ABORT)) {
            return now.await(MovePhase.ABORTING, "what has not moved is being undone", "the end of the abort");
        }
        if (now.runs(MoveStep.CLEAN_UP)) {
            return now.allTakenBack()
                    ? now.await(
                            MovePhase.REVERSING, "what the move has left is being removed", "the end of the cleanup")
                    : now.await(
                            MovePhase.CLEANING_UP, "rows on the source are being deleted", "the end of the cleanup");
        }
        return Optional.empty();
    }

    /** A failover may have changed the fence rows while nothing was done; nobody else looks. */
    static boolean isDue(Situation now) {
        boolean idle = now.seen().mover().running().isEmpty();
        return idle && !looksRest(now) && now.truthAge().compareTo(LOOK_AGAIN) >= 0;
    }

    /**
     * A look that has failed is repeated when its fault has cooled down. Beside any other fault that cools down nobody looks
     * either, because the next try ends with a look; but what failed after the rows were read may have changed them.
     */
    private static boolean looksRest(Situation now) {
        MoveObservation.MoverView mover = now.seen().mover();
        return mover.ofLook()
                .or(() -> mover.ofWork().filter(fault -> now.truthAge().compareTo(fault.age()) < 0))
                .filter(fault -> FaultChecks.coolsDown(fault, FaultChecks.longest(now, fault)))
                .isPresent();
    }

    /**
     * Source rows may be gone, so the source must not take anything back. What routers were never told of has stayed where it
     * was: its abort leaves no row where there was none.
     */
    static Optional<MoveDecision> ownerLostAfterNoReturn(Situation now) {
        Standing standing = now.standing();
        SortedSet<Scope> lost = new TreeSet<>(standing.unmoved());
        lost.addAll(standing.at(RecoveryAction.TAKE_BACK));
        if (now.wayBack().isOpen()) {
            lost.addAll(standing.takenBack());
        }
        lost.removeAll(standing.at(RecoveryAction.FINISH_ABORT));
        lost.removeAll(standing.at(RecoveryAction.KEPT));
        lost.removeIf(scope -> standing.at(RecoveryAction.BEGIN).contains(scope) && !now.visibleSomewhere(scope));
        return now.seen().pointOfNoReturn() && !lost.isEmpty()
                ? now.awaitAPerson(
                        "after the cleanup had begun the target is no longer the owner of " + Scope.words(lost))
                : Optional.empty();
    }

    static Optional<MoveDecision> unexplained(Situation now) {
        return now.standing().any(RecoveryAction.BLOCK)
                ? now.awaitAPerson("the fence rows of "
                        + Scope.words(now.standing().at(RecoveryAction.BLOCK)) + " fit no step of this move")
                : Optional.empty();
    }

    static Optional<MoveDecision> sourceIsNotOwner(Situation now) {
        if (!now.standing().any(RecoveryAction.NOT_OWNER)) {
            return Optional.empty();
        }
        String what = now.seen().task().from() + " does not own "
                + Scope.words(now.standing().at(RecoveryAction.NOT_OWNER));
        return now.standing().begun()
                ? now.awaitAPerson(what)
                : Optional.of(new MoveDecision.Done(
                        MovePhase.FAILED, what + ": name the shard that owns them in a new move"));
    }
}
