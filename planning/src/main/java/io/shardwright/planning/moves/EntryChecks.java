package io.shardwright.planning.moves;

import io.shardwright.planning.windows.Closure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What can be said before the databases have been read. */
final class EntryChecks {
    private EntryChecks() {}

    static Optional<MoveDecision> alreadyEnded(MoveObservation seen) {
        return seen.stored().terminal()
                ? Optional.of(new MoveDecision.Done(seen.stored(), "the move has ended"))
                : Optional.empty();
    }

    /**
     * A status is stored before its step begins, so with these phases no step has left anything behind. A way back has, before
     * it begins: its stream.
     */
    static Optional<MoveDecision> abortedBeforeItBegan(MoveObservation seen) {
        return seen.isWayThere() && seen.abortWanted() && seen.truth().isEmpty() && onlyLooked(seen.stored())
                ? Optional.of(new MoveDecision.Done(MovePhase.ABORTED, "aborted before anything had begun"))
                : Optional.empty();
    }

    static Optional<MoveDecision> refused(MoveObservation seen) {
        return seen.admission()
                .refusal()
                .map(why -> wait(
                        seen.stored() == MovePhase.PENDING ? MovePhase.PENDING : MovePhase.BLOCKED,
                        why,
                        "a change of the objects that the move names",
                        List.of()));
    }

    static Optional<MoveDecision> queued(MoveObservation seen) {
        List<MoveDecision.Blocker> before = seen.admission().start();
        if (seen.stored() != MovePhase.PENDING || before.isEmpty() || begun(seen)) {
            return Optional.empty();
        }
        String reason = "waits for " + before.get(0).kind() + " "
                + before.get(0).name() + ": " + before.get(0).reason();
        Optional<Closure> closed = WindowChecks.of(seen);
        return Optional.of(new MoveDecision.Wait(
                MovePhase.PENDING,
                reason,
                "the end of what is named in blockedBy",
                closed.flatMap(Closure::until),
                before,
                closed.filter(closure -> before.get(0).equals(MoveDecision.Blocker.of(closure)))
                        .map(Closure::advice),
                false,
                false));
    }

    /** One side unreadable: nothing is decided, not even an abort. */
    static Optional<MoveDecision> unread(MoveObservation seen) {
        if (seen.truth().isPresent()) {
            return Optional.empty();
        }
        return Optional.of(seen.mover().running().isPresent() ? beingRead(seen) : toBeRead(seen));
    }

    private static MoveDecision beingRead(MoveObservation seen) {
        if (seen.mover().retried().isPresent()) {
            return unreadable(seen, seen.mover().retried().get());
        }
        String reason = "the mover runs " + seen.mover().running().get() + ", the databases are being read";
        return seen.stored() == MovePhase.PENDING
                ? wait(seen.stored(), reason, "its report", List.of())
                : new MoveDecision.Aside(seen.stored(), reason, Optional.empty(), Optional.empty());
    }

    /** A new leader knows less than the status that it finds, and has nothing better to say before it has looked. */
    private static MoveDecision toBeRead(MoveObservation seen) {
        MoveDecision.Act look = new MoveDecision.Act(
                seen.stored(), MoveStep.OBSERVE, seen.task().scopes(), "the fence of both sides is not known yet");
        Optional<MoveFault> fault = seen.mover().ofLook();
        if (fault.isEmpty()) {
            return seen.stored() == MovePhase.PENDING ? look : MoveDecision.Aside.silent(seen.stored(), look);
        }
        MoveDecision.Wait unreadable = unreadable(seen, fault.get());
        return FaultChecks.coolsDown(fault.get(), longest(seen))
                ? unreadable
                : MoveDecision.Aside.beside(unreadable, look);
    }

    private static MoveDecision.Wait unreadable(MoveObservation seen, MoveFault fault) {
        MovePhase phase = seen.stored() == MovePhase.PENDING ? MovePhase.PENDING : MovePhase.BLOCKED;
        return FaultChecks.cooling(seen, fault, phase, longest(seen));
    }

    /** What nobody has read may be fenced, also under the name Blocked: only the first two phases say that nothing is. */
    private static Duration longest(MoveObservation seen) {
        return onlyLooked(seen.stored()) ? FaultChecks.LONGEST : FaultChecks.LONGEST_FENCED;
    }

    static boolean onlyLooked(MovePhase stored) {
        return stored == MovePhase.PENDING || stored == MovePhase.VALIDATING;
    }

    private static boolean begun(MoveObservation seen) {
        return seen.truth()
                .map(truth -> Standing.of(seen.task(), truth).begun())
                .orElse(false);
    }

    private static MoveDecision wait(
            MovePhase phase, String reason, String awaited, List<MoveDecision.Blocker> blockers) {
        return new MoveDecision.Wait(phase, reason, awaited, Optional.empty(), blockers);
    }
}
