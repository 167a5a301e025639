package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.MoverView;
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
     * Buckets that nobody can write, as far as is known, while a shard does not answer. Before the fence rows were read that
     * are those that routers were told of and not led to: what routers are led to may have been written there.
     */
    public static SortedSet<Integer> waiting(MoveObservation seen) {
        MoverView mover = seen.mover();
        boolean silent = mover.fault()
                .or(mover::retried)
                .filter(ForcedReclaim::isSilence)
                .isPresent();
        return silent && done(seen).isEmpty() && !seen.pointOfNoReturn() ? fenced(seen) : new TreeSet<>();
    }

    private static boolean isSilence(MoveFault fault) {
        return fault.kind() == MoveFault.Kind.UNREACHABLE && fault.curable();
    }

    private static SortedSet<Integer> fenced(MoveObservation seen) {
        if (seen.truth().isPresent()) {
            Standing standing = Standing.of(seen.task(), seen.truth().get());
            SortedSet<Integer> fenced = new TreeSet<>(standing.at(RecoveryAction.ACTIVATE));
            fenced.addAll(standing.at(RecoveryAction.RECLAIM));
            fenced.addAll(standing.at(RecoveryAction.REVOKE));
            return fenced;
        }
        SortedSet<Integer> told = new TreeSet<>();
        if (!EntryChecks.onlyLooked(seen.stored())) {
            told.addAll(seen.table().announced());
            told.removeAll(seen.table().visibleToWorkers());
            told.removeAll(seen.table().folded());
        }
        return told;
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
        boolean silentNow = mover.running().isEmpty()
                && mover.fault()
                        .filter(fault -> isSilence(fault) && fault.age().compareTo(CleanupChecks.FRESH) < 0)
                        .isPresent();
        SortedSet<Integer> waiting = waiting(seen);
        return isAskedFor(seen) && silentNow && !waiting.isEmpty()
                ? Optional.of(new MoveDecision.Act(
                        MovePhase.ABORTING,
                        MoveStep.RECLAIM,
                        waiting,
                        "taken back by force, as a person has asked for, because "
                                + seen.task().to() + " does not answer"))
                : Optional.empty();
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
                                seen.task().buckets(),
                                "whether the target answers again"))
                : shown;
    }
}
