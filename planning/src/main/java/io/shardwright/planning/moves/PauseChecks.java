package io.shardwright.planning.moves;

import java.util.List;
import java.util.Optional;

/**
 * A pause begins no further step. What was fenced, decided or switched before is finished by the checks before this one, and
 * the streams go on, so that a move can be paused for long and is near its switch when it runs again.
 */
final class PauseChecks {
    private PauseChecks() {}

    static Optional<MoveDecision> paused(Situation now) {
        if (now.seen().intent() != MoveObservation.Intent.PAUSE) {
            return Optional.empty();
        }
        MoveDecision.Wait shown = shown(now);
        return Optional.of(
                streamIsMissing(now)
                        ? MoveDecision.Aside.beside(
                                shown,
                                new MoveDecision.Act(
                                        shown.phase(),
                                        MoveStep.PREPARE,
                                        now.seen().task().buckets(),
                                        "the stream goes on at the progress row"))
                        : shown);
    }

    /** Before the first write the phase goes on to say so: Paused would not. */
    private static MoveDecision.Wait shown(Situation now) {
        MovePhase stored = now.seen().stored();
        boolean unwritten = EntryChecks.onlyLooked(stored) && !now.standing().begun();
        String what = now.seen()
                .mover()
                .running()
                .map(step -> "paused; the mover ends " + step + " first")
                .orElse("paused; no further step begins");
        return new MoveDecision.Wait(
                unwritten ? stored : MovePhase.PAUSED, what, "spec.intent Run", Optional.empty(), List.of());
    }

    private static boolean streamIsMissing(Situation now) {
        MoveObservation.MoverView mover = now.seen().mover();
        boolean ended = mover.stage() == MoveObservation.Stage.NONE
                || mover.fault()
                        .filter(fault -> FaultChecks.passing(fault.kind()))
                        .isPresent();
        return ended
                && mover.running().isEmpty()
                && now.standing().any(RecoveryAction.CARRY_ON)
                && now.seen().truth().orElseThrow().resumable();
    }
}
