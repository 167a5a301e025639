package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A bucket that is fenced while its target is gone. The row that decides is there, so the move waits. Only a person can know that
 * the target will not come back as an owner; with his word, which names this very move, the source takes the bucket back. Whether
 * the target answers is asked just before, and once more by the mover.
 */
public final class ForcedReclaim {
    private ForcedReclaim() {}

    /**
     * Buckets that nobody can write, or may not be able to, while a shard does not answer. Rows that are older than its silence
     * do not show what was fenced since, and a new leader has none: a bucket is announced before it is fenced, so those may be
     * that were announced. What routers are led to is never among them, because it was written on the target.
     */
    public static SortedSet<Scope> waiting(MoveObservation seen) {
        MoverView mover = seen.mover();
        Optional<MoveFault> silence = mover.fault().or(mover::retried).filter(ForcedReclaim::isSilence);
        return silence.isPresent() && done(seen).isEmpty() && !seen.pointOfNoReturn()
                ? fenced(seen, silence.get())
                : new TreeSet<>();
    }

    private static boolean isSilence(MoveFault fault) {
        return fault.kind() == MoveFault.Kind.UNREACHABLE && fault.curable();
    }

    private static SortedSet<Scope> fenced(MoveObservation seen, MoveFault silence) {
        SortedSet<Scope> fenced = unseen(seen, silence);
        fenced.retainAll(seen.table().announced());
        seen.truth().map(truth -> Standing.of(seen.task(), truth)).ifPresent(standing -> {
            fenced.addAll(standing.at(RecoveryAction.ACTIVATE));
            fenced.addAll(standing.at(RecoveryAction.RECLAIM));
            fenced.addAll(standing.at(RecoveryAction.REVOKE));
        });
        fenced.removeAll(seen.table().visibleToWorkers());
        fenced.removeAll(seen.table().folded());
        return fenced;
    }

    /** What may have been fenced without anybody having read it. */
    private static SortedSet<Scope> unseen(MoveObservation seen, MoveFault silence) {
        if (seen.truth().isEmpty()) {
            return EntryChecks.onlyLooked(seen.stored())
                    ? new TreeSet<>()
                    : new TreeSet<>(seen.task().scopes());
        }
        MoveObservation.Truth truth = seen.truth().get();
        return truth.age().compareTo(silence.age()) < 0
                ? new TreeSet<>()
                : new TreeSet<>(Standing.of(seen.task(), truth).waiting());
    }

    /** The word of a person, for this move: a copied manifest says nothing about another one. */
    public static boolean isAskedFor(MoveObservation seen) {
        return seen.forceReclaim()
                .filter(seen.task().moveId().toString()::equals)
                .isPresent();
    }

    /** Before the fence rows are asked for, because they cannot be read. */
    static Optional<MoveDecision> decide(MoveObservation seen) {
        MoverView mover = seen.mover();
        Optional<MoveFault> done = done(seen);
        if (done.isPresent()) {
            return Optional.of(awaitTheTarget(seen, done.get()));
        }
        SortedSet<Scope> waiting = waiting(seen);
        return isAskedFor(seen) && isSilentNow(mover) && !coolsDown(mover) && !waiting.isEmpty()
                ? Optional.of(new MoveDecision.Act(
                        MovePhase.ABORTING,
                        MoveStep.RECLAIM,
                        waiting,
                        "taken back by force, as a person has asked for, because "
                                + seen.task().to() + " does not answer"))
                : Optional.empty();
    }

    /** By a look, just now. */
    private static boolean isSilentNow(MoverView mover) {
        return mover.running().isEmpty()
                && mover.retried().isEmpty()
                && mover.ofLook()
                        .filter(fault -> isSilence(fault) && fault.age().compareTo(CleanupChecks.FRESH) < 0)
                        .isPresent();
    }

    /** The last try has failed, too; one that found nothing to take back will find nothing in two seconds either. */
    private static boolean coolsDown(MoverView mover) {
        return mover.ofWork()
                .filter(fault -> FaultChecks.coolsDown(
                        fault, isSilence(fault) ? FaultChecks.LONGEST_FENCED : FaultChecks.LONGEST))
                .isPresent();
    }

    /** It was done, and the target has not been read since. */
    private static Optional<MoveFault> done(MoveObservation seen) {
        return seen.mover()
                .ofWork()
                .filter(fault -> fault.kind() == MoveFault.Kind.RECLAIMED)
                .filter(fault -> nothingReadSince(seen, fault));
    }

    private static boolean nothingReadSince(MoveObservation seen, MoveFault done) {
        return seen.truth()
                .filter(truth -> truth.age().compareTo(done.age()) < 0)
                .isEmpty();
    }

    /** The same words until the target answers, which is asked again and again; then its rows say what is left to do. */
    private static MoveDecision awaitTheTarget(MoveObservation seen, MoveFault done) {
        MoveFault newest = seen.mover().ofLook().orElse(done);
        Duration rest = FaultChecks.pause(newest, FaultChecks.LONGEST).minus(newest.age());
        MoveDecision.Wait shown = MoveDecision.Wait.tryingAgain(
                MovePhase.BLOCKED, done.message(), done.nextAction(), seen.after(rest), List.of());
        boolean due = seen.mover().running().isEmpty() && !rest.isPositive();
        return due
                ? MoveDecision.Aside.beside(
                        shown,
                        new MoveDecision.Act(
                                MovePhase.BLOCKED,
                                MoveStep.OBSERVE,
                                seen.task().scopes(),
                                "whether the target answers again"))
                : shown;
    }
}
