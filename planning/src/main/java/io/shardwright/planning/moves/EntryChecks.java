package io.shardwright.planning.moves;

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

    /** A status is stored before its step begins, so with these phases no step has left anything behind. */
    static Optional<MoveDecision> abortedBeforeItBegan(MoveObservation seen) {
        return seen.abortWanted() && seen.truth().isEmpty() && onlyLooked(seen.stored())
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
        return Optional.of(wait(
                MovePhase.PENDING,
                "waits for " + before.get(0).kind() + " " + before.get(0).name() + ": "
                        + before.get(0).reason(),
                "the end of what is named in blockedBy",
                before));
    }

    /** One side unreadable: nothing is decided, not even an abort. */
    static Optional<MoveDecision> unread(MoveObservation seen) {
        if (seen.truth().isPresent()) {
            return Optional.empty();
        }
        if (seen.mover().running().isPresent()) {
            return Optional.of(wait(
                    seen.stored(),
                    "the mover runs " + seen.mover().running().get() + ", the databases are being read",
                    "its report",
                    List.of()));
        }
        Optional<MoveFault> fault = seen.mover().fault();
        if (fault.isPresent() && FaultChecks.coolsDown(fault.get())) {
            MovePhase phase = seen.stored() == MovePhase.PENDING ? MovePhase.PENDING : MovePhase.BLOCKED;
            return Optional.of(FaultChecks.cooling(seen, fault.get(), phase));
        }
        return Optional.of(new MoveDecision.Act(
                seen.stored(), MoveStep.OBSERVE, seen.task().buckets(), "the fence of both sides is not known yet"));
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
