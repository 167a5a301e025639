package io.shardwright.planning.moves;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Chooses the next step of a move from one observation. The checks are asked in order and the first answer counts, so
 * the reason that people see is always the first that applies. Nothing is remembered between two calls: after a restart
 * the same observation gives the same decision.
 *
 * <p>The order is the argument: what has ended stays; without both databases nothing is decided; what contradicts the
 * protocol stops; what was decided against is finished before anything else, but for buckets whose source cannot take them
 * back; a bucket between fence and activation comes before all other work; what has moved is published; only then is more
 * filled, and switched. A pause comes after what must be finished and before every further step; a window that is closed holds
 * the beginning of a switch and of the cleanup only.
 *
 * <p>A move that is taken back is planned as two legs, each by the same checks: the way there until it says TURN_BACK, then
 * the way back until that has ended, then the way there again, which ends what is left.
 */
public final class MovePlanner {
    private static final List<Function<MoveObservation, Optional<MoveDecision>>> BEFORE_TRUTH = List.of(
            EntryChecks::alreadyEnded,
            EntryChecks::abortedBeforeItBegan,
            EntryChecks::refused,
            EntryChecks::queued,
            ForcedReclaim::decide,
            EntryChecks::unread);

    private static final List<Function<Situation, Optional<MoveDecision>>> BY_TRUTH = List.of(
            TruthChecks::abortedWithoutATrace,
            TruthChecks::undividedCommand,
            OwnerChecks::twoOwners,
            OwnerChecks::demoted,
            TruthChecks::ownerLostAfterNoReturn,
            TruthChecks::unexplained,
            WayBackChecks::hasBegun,
            ReadOnlySource::resync,
            AbortChecks::abort,
            AbortChecks::withdraw,
            AbortChecks::ended,
            TruthChecks::sourceIsNotOwner,
            SwitchChecks::activateFenced,
            WayBackChecks::followOn,
            PublishChecks::toWorkers,
            PublishChecks::toWeb,
            PublishChecks::fold,
            CleanupChecks::ended,
            WayBackChecks::letGo,
            FaultChecks::incurable,
            FaultChecks::coolingDown,
            CleanupChecks::afterTheReversal,
            SoakChecks::retire,
            PauseChecks::paused,
            PauseChecks::held,
            ComparisonChecks::difference,
            SoakChecks::turnBack,
            SoakChecks::soak,
            CleanupChecks::gate,
            WindowChecks::beforeTheCleanup,
            CleanupChecks::compare,
            CleanupChecks::cleanUp,
            SwitchChecks::measuring,
            FillChecks::working,
            WayBackChecks::verifyAnew,
            FillChecks::fill,
            WayBackChecks::follow,
            WindowChecks::beforeTheSwitch,
            SwitchChecks::announce,
            SwitchChecks::awaitAnnounced,
            SwitchChecks::awaitGap,
            SwitchChecks::awaitSlot,
            SwitchChecks::gate,
            SwitchChecks::next);

    private MovePlanner() {}

    public static MoveDecision plan(MoveObservation seen) {
        return first(BEFORE_TRUTH, seen).orElseGet(() -> Refreshing.plan(seen, MovePlanner::byTruth));
    }

    private static MoveDecision byTruth(Situation now) {
        MoveDecision decision = first(BY_TRUTH, now)
                .orElseThrow(() -> new IllegalStateException(
                        "no check answered for move " + now.seen().task().moveId()));
        return PublishChecks.inTime(now, Retrying.plan(now, decision));
    }

    private static <T> Optional<MoveDecision> first(List<Function<T, Optional<MoveDecision>>> checks, T seen) {
        return checks.stream()
                .map(check -> check.apply(seen))
                .flatMap(Optional::stream)
                .findFirst();
    }
}
