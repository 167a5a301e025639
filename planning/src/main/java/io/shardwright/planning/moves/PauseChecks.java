package io.shardwright.planning.moves;

import java.util.List;
import java.util.Optional;

/**
 * A pause, and a cluster that holds its moves, begin no further step. What was fenced, decided or switched before is finished by
 * the checks before these, and the streams go on: a stream that stands still keeps the log of a shard without limit, and a move
 * that stood still for long is near its switch when it runs again.
 */
final class PauseChecks {
    private PauseChecks() {}

    static Optional<MoveDecision> paused(Situation now) {
        return now.seen().intent() == MoveObservation.Intent.PAUSE
                ? Optional.of(standsStill(now, shown(now)))
                : Optional.empty();
    }

    /** By a suspended cluster, for one. */
    static Optional<MoveDecision> held(Situation now) {
        List<MoveDecision.Blocker> hold = now.seen().admission().hold();
        return hold.isEmpty() ? Optional.empty() : Optional.of(standsStill(now, held(now, hold)));
    }

    private static MoveDecision standsStill(Situation now, MoveDecision.Wait shown) {
        return missingStream(now)
                .<MoveDecision>map(step -> MoveDecision.Aside.beside(
                        shown,
                        new MoveDecision.Act(
                                shown.phase(),
                                step,
                                now.seen().task().scopes(),
                                "the stream goes on at the progress row")))
                .orElse(shown);
    }

    private static MoveDecision.Wait held(Situation now, List<MoveDecision.Blocker> hold) {
        MovePhase stored = now.seen().stored();
        MovePhase before = stored == MovePhase.PAUSED ? MovePhase.BLOCKED : stored;
        return new MoveDecision.Wait(
                now.allDecided() ? SoakChecks.phase(now) : before,
                "held by " + hold.get(0).kind() + " " + hold.get(0).name() + ": "
                        + hold.get(0).reason(),
                "that nothing in blockedBy is left",
                Optional.empty(),
                hold);
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

    /**
     * Before the set was in sync no stream runs, or it has ended by a fault that passes. A way back that has not begun only
     * follows: to prepare it would be to begin it.
     */
    private static Optional<MoveStep> missingStream(Situation now) {
        MoveObservation.MoverView mover = now.seen().mover();
        boolean ended = mover.stage().compareTo(MoveObservation.Stage.IN_SYNC) < 0;
        boolean passes = mover.fault()
                .filter(fault -> !FaultChecks.passing(fault.kind()))
                .isEmpty();
        boolean resumes = ended
                && passes
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
