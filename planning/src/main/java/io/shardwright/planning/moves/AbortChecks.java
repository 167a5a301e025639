package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Deciding against what has not moved. After the fence the only decision is the compare-and-swap on the target, so this
 * may race with an activation: whichever commits first has decided, and the next observation shows which.
 */
final class AbortChecks {
    private AbortChecks() {}

    static Optional<MoveDecision> abort(Situation now) {
        Optional<String> why = why(now);
        if (why.isEmpty()) {
            return Optional.empty();
        }
        Optional<MoveFault> fault = now.fault();
        if (now.seen().stored() == MovePhase.ABORTING && fault.isPresent()) {
            Duration longest = FaultChecks.longest(now, fault.get());
            if (FaultChecks.coolsDown(fault.get(), longest)) {
                return Optional.of(FaultChecks.cooling(now.seen(), fault.get(), MovePhase.ABORTING, longest)
                        .advised(ReadOnlySource.advice(now, fault.get())));
            }
        }
        return now.actOnAll(MovePhase.ABORTING, MoveStep.ABORT, why.get());
    }

    private static Optional<String> why(Situation now) {
        Standing standing = now.standing();
        if (standing.unmoved().isEmpty()) {
            return nothingToTakeBack(now);
        }
        if (standing.any(RecoveryAction.RECLAIM) || standing.any(RecoveryAction.REVOKE)) {
            return Optional.of("a fenced bucket was decided against: its source takes it back");
        }
        if (standing.at(RecoveryAction.ACTIVATE).stream().anyMatch(now::visibleSomewhere)) {
            return Optional.of("the target has lost an activation that was published already");
        }
        if (now.abortFinished()) {
            return Optional.empty();
        }
        if (standing.any(RecoveryAction.UNFINISHED)) {
            return Optional.of("the way there has to end its switch of "
                    + Scope.words(standing.at(RecoveryAction.UNFINISHED)) + " first, which nobody owns");
        }
        if (standing.anyDecidedAgainst()) {
            return Optional.of("the target was told to abort this move");
        }
        if (now.seen().abortWanted()) {
            return Optional.of(
                    now.seen().intent() == MoveObservation.Intent.REVERSE
                            ? "a reversal was asked for: what has not moved stays"
                            : "abort was asked for");
        }
        if (now.seen().stored() == MovePhase.ABORTING) {
            return Optional.of("an abort that has begun is finished");
        }
        return now.fault()
                .filter(fault -> endsTheMove(now, fault))
                .or(() -> WayBackChecks.failed(now))
                .map(MoveFault::message);
    }

    /** The other leg has ended what it had moved; the stream of the way back is left. */
    private static Optional<String> nothingToTakeBack(Situation now) {
        return now.isWayThere()
                        || now.abortFinished()
                        || !now.standing().moved().isEmpty()
                ? Optional.empty()
                : Optional.of("nothing is there that could be taken back");
    }

    private static boolean endsTheMove(Situation now, MoveFault fault) {
        if (fault.kind() == MoveFault.Kind.DECIDED_AGAINST) {
            return true;
        }
        if (now.standing().any(RecoveryAction.ACTIVATE)) {
            return !fault.curable() || !FaultChecks.passing(fault.kind());
        }
        boolean onlyLooked =
                now.isWayThere() && EntryChecks.onlyLooked(now.seen().stored());
        return !fault.curable() && (now.standing().begun() || !onlyLooked);
    }

    /** Routers must not be led to a target that will not own the bucket. */
    static Optional<MoveDecision> withdraw(Situation now) {
        if (!now.abortFinished()) {
            return Optional.empty();
        }
        SortedSet<Scope> led = new TreeSet<>(now.seen().table().announced());
        led.addAll(now.seen().table().folded());
        led.retainAll(now.standing().unmoved());
        return led.isEmpty()
                ? Optional.empty()
                : now.act(MovePhase.ABORTING, MoveStep.WITHDRAW, led, "the source keeps these buckets");
    }

    static Optional<MoveDecision> ended(Situation now) {
        boolean someMoved =
                !now.standing().moved().isEmpty() || !now.standing().takenBack().isEmpty();
        if (!now.abortFinished() || someMoved) {
            return Optional.empty();
        }
        return WayBackChecks.dismiss(now, MovePhase.ABORTING, "nothing has moved that could be taken back")
                .or(() -> Optional.of(end(now)));
    }

    private static MoveDecision end(Situation now) {
        String rest = whoOwnsWhat(now) + ", nothing is left over";
        return now.seen().abortWanted()
                ? new MoveDecision.Done(MovePhase.ABORTED, "aborted; " + rest)
                : new MoveDecision.Done(MovePhase.FAILED, "decided against; " + rest);
    }

    /** A way back speaks of what the way there had brought. */
    private static String whoOwnsWhat(Situation now) {
        if (now.isWayThere()) {
            return "the source owns all buckets";
        }
        SortedSet<Scope> kept = now.standing().unmoved();
        if (kept.isEmpty()) {
            return "there was nothing to take back";
        }
        boolean all = kept.equals(now.seen().task().scopes());
        return now.seen().task().from() + " owns " + (all ? "all buckets" : Scope.words(kept));
    }
}
