package io.shardwright.planning.moves;

import java.util.Optional;

/**
 * A blocked move stays blocked while it tries again, until a try gets past the cause: phase, reason and advice are those of
 * the fault, so that a shard that is down for an hour is one change of phase, not a thousand.
 */
final class Retrying {
    private Retrying() {}

    static MoveDecision plan(Situation now, MoveDecision decision) {
        boolean fenced = now.standing().any(RecoveryAction.ACTIVATE);
        boolean byRows = said(decision).filter(MoveDecision.Wait::byRows).isPresent();
        Optional<MoveDecision.Wait> blocked =
                now.seen().stored() == MovePhase.BLOCKED && !fenced && !byRows ? stillBlocked(now) : Optional.empty();
        return blocked.isEmpty()
                ? decision
                : switch (decision) {
                    case MoveDecision.Act act when tries(act.step()) -> MoveDecision.Aside.beside(blocked.get(), act);
                    case MoveDecision.Wait wait
                    when now.seen().mover().running().filter(Retrying::tries).isPresent() -> blocked.get();
                    case MoveDecision.Wait wait
                    when isBrief(wait) || isUnseen(now) ->
                        wait.until().map(blocked.get()::atTheLatest).orElse(blocked.get());
                    case MoveDecision.Aside aside
                    when aside.shown()
                                    .filter(wait -> isBrief(wait) || isUnseen(now))
                                    .isPresent()
                            && aside.step().isPresent() ->
                        MoveDecision.Aside.beside(blocked.get(), aside.step().get());
                    default -> decision;
                };
    }

    private static Optional<MoveDecision.Wait> said(MoveDecision decision) {
        return switch (decision) {
            case MoveDecision.Wait wait -> Optional.of(wait);
            case MoveDecision.Aside aside -> aside.shown();
            case MoveDecision.Act act -> Optional.empty();
            case MoveDecision.Done done -> Optional.empty();
        };
    }

    private static Optional<MoveDecision.Wait> stillBlocked(Situation now) {
        MoveObservation.MoverView mover = now.seen().mover();
        Optional<MoveFault> fault = mover.fault().or(mover::retried);
        return fault.isPresent()
                ? fault.map(
                        one -> FaultChecks.cooling(now.seen(), one, MovePhase.BLOCKED, FaultChecks.longest(now, one)))
                : SwitchChecks.noGapFound(now);
    }

    /**
     * A look has failed, and none has succeeded since. What would be waited for on old rows is no news: it would be told between
     * any two looks, for as long as a shard is down. (A look that runs is hidden here, but not what it tries to get past.)
     */
    private static boolean isUnseen(Situation now) {
        MoveObservation.MoverView mover = now.seen().mover();
        boolean lookedAtAgain = mover.running().isEmpty() && mover.retried().isPresent();
        return mover.ofLook().isPresent() || lookedAtAgain;
    }

    /** A turn or a gate that opens by itself in a moment, so nobody needs to read of it between two tries. */
    private static boolean isBrief(MoveDecision.Wait wait) {
        return wait.phase() == MovePhase.READY
                && wait.until().isPresent()
                && wait.advice().isEmpty()
                && wait.blockedBy().stream().noneMatch(one -> one.kind().equals("Router"));
    }

    /**
     * What the mover does for the move to go on. A table that is published is news, and an abort is a way out. A switch and a
     * cleanup are told by their own phases before they begin: by Switching other moves keep off the database, and with
     * CleaningUp the point of no return is stored.
     */
    private static boolean tries(MoveStep step) {
        return switch (step) {
            case OBSERVE, VALIDATE, PREPARE, VERIFY, GATE, FOLLOW, RETIRE, COMPARE -> true;
            case SWITCH,
                    CLEAN_UP,
                    ANNOUNCE,
                    PUBLISH_TO_WORKERS,
                    PUBLISH_TO_WEB,
                    FOLD,
                    ABORT,
                    WITHDRAW,
                    TURN_BACK,
                    DISMISS,
                    DEMOTE,
                    RESYNC,
                    RECLAIM -> false;
        };
    }
}
