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
        return Optional.of(missingStream(now)
                .<MoveDecision>map(step -> MoveDecision.Aside.beside(
                        shown,
                        new MoveDecision.Act(
                                shown.phase(),
                                step,
                                now.seen().task().buckets(),
                                "the stream goes on at the progress row")))
                .orElse(shown));
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
                unwritten ? stored : MovePhase.PAUSED,
                what,
                now.isWayThere() ? "spec.intent Run" : "spec.intent Reverse",
                Optional.empty(),
                List.of());
    }

    /** A way back that has not begun only follows: to prepare it would be to begin it. */
    private static Optional<MoveStep> missingStream(Situation now) {
        MoveObservation.MoverView mover = now.seen().mover();
        boolean ended = mover.stage() == MoveObservation.Stage.NONE
                || mover.fault()
                        .filter(fault -> FaultChecks.passing(fault.kind()))
                        .isPresent();
        boolean resumes = ended
                && mover.running().isEmpty()
                && now.seen().truth().orElseThrow().resumable();
        if (resumes && now.standing().any(RecoveryAction.CARRY_ON)) {
            return Optional.of(MoveStep.PREPARE);
        }
        return resumes && !now.isWayThere() && now.standing().any(RecoveryAction.BEGIN)
                ? Optional.of(MoveStep.FOLLOW)
                : Optional.empty();
    }
}
