package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckGate;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** An observation whose truth is known, in the words of the checks. */
final class Situation {
    private static final Set<MovePhase> AFTER_ALL_DECISIONS =
            EnumSet.of(MovePhase.PUBLISHING, MovePhase.REVERSIBLE, MovePhase.REVERSING);

    private final MoveObservation seen;
    private final Standing standing;

    Situation(MoveObservation seen) {
        this.seen = seen;
        this.standing = Standing.of(seen.task(), seen.truth().orElseThrow(), seen.pointOfNoReturn());
    }

    MoveObservation seen() {
        return seen;
    }

    Standing standing() {
        return standing;
    }

    MoveObservation.Stage stage() {
        return seen.mover().stage();
    }

    Optional<MoveFault> fault() {
        return seen.mover().fault();
    }

    boolean isWayThere() {
        return seen.isWayThere();
    }

    WayBack wayBack() {
        return seen.wayBack();
    }

    boolean runs(MoveStep step) {
        return seen.mover().running().filter(step::equals).isPresent();
    }

    /**
     * Whatever did not move is decided against and cleaned: by this mover, or by one before a phase that comes after it. A
     * bucket that could still be activated says otherwise, whoever reported the end. Paused and Blocked say nothing of it.
     */
    boolean abortFinished() {
        boolean undecided = standing.any(RecoveryAction.CARRY_ON) || standing.any(RecoveryAction.ACTIVATE);
        boolean byThisMover = stage() == MoveObservation.Stage.ABORTED && fault().isEmpty();
        return !undecided
                && (byThisMover
                        || stage() == MoveObservation.Stage.CLEANED_UP
                        || seen.pointOfNoReturn()
                        || AFTER_ALL_DECISIONS.contains(seen.stored()));
    }

    /**
     * Nothing is left to fill or to switch: each bucket moved, or its abort is finished. An abort leaves no row where it found
     * none of this leg: a way back that had not begun, or a target that has lost it in a failover.
     */
    boolean allDecided() {
        boolean undecided = standing.any(RecoveryAction.ACTIVATE) || standing.any(RecoveryAction.TAKE_BACK);
        boolean someMoved = !standing.moved().isEmpty() || !standing.takenBack().isEmpty();
        boolean noneWaits = standing.waiting().isEmpty() || abortFinished();
        return someMoved && !undecided && noneWaits;
    }

    /** Of the way there: the source owns again whatever had moved, and the reversal has ended. */
    boolean allTakenBack() {
        return allDecided() && standing.moved().isEmpty() && !wayBack().isOpen();
    }

    boolean visibleSomewhere(Scope scope) {
        return seen.table().visibleToWorkers().contains(scope)
                || seen.table().folded().contains(scope);
    }

    SortedSet<Scope> movedBut(SortedSet<Scope> first, SortedSet<Scope> second) {
        SortedSet<Scope> rest = new TreeSet<>(standing.moved());
        rest.removeAll(first);
        rest.removeAll(second);
        return rest;
    }

    Optional<MoveDecision> act(MovePhase phase, MoveStep step, SortedSet<Scope> group, String reason) {
        return Optional.of(new MoveDecision.Act(phase, step, group, reason));
    }

    Optional<MoveDecision> actOnAll(MovePhase phase, MoveStep step, String reason) {
        return act(phase, step, seen.task().scopes(), reason);
    }

    Duration truthAge() {
        return seen.truth().orElseThrow().age();
    }

    /** Waits for an event, and at the latest until the fence rows are to be read again. */
    Optional<MoveDecision> await(MovePhase phase, String reason, String awaited) {
        return await(phase, reason, awaited, untilTheNextLook(), List.of());
    }

    private Duration untilTheNextLook() {
        Duration rest = TruthChecks.LOOK_AGAIN.minus(truthAge());
        boolean due = rest.isNegative() || rest.isZero();
        return due ? TruthChecks.LOOK_AGAIN : rest;
    }

    /** The fence rows say what no step of this move may change. */
    Optional<MoveDecision> awaitAPerson(String reason) {
        return Optional.of(blockedByRows(reason, "a person who looks at the fence rows of both shards"));
    }

    /** The same where what a person can do has another name, or is done by the move itself. */
    MoveDecision.Wait blockedByRows(String reason, String awaited) {
        return new MoveDecision.Wait(
                MovePhase.BLOCKED,
                reason,
                awaited,
                Optional.of(seen.now().plus(untilTheNextLook())),
                List.of(),
                Optional.empty(),
                true,
                true);
    }

    Optional<MoveDecision> await(MovePhase phase, String reason, String awaited, Duration atMost) {
        return await(phase, reason, awaited, atMost, List.of());
    }

    Optional<MoveDecision> await(
            MovePhase phase, String reason, String awaited, Duration atMost, List<MoveDecision.Blocker> blockers) {
        return Optional.of(new MoveDecision.Wait(
                phase, reason, awaited, Optional.of(seen.now().plus(atMost)), blockers));
    }

    static List<MoveDecision.Blocker> routers(AckGate gate) {
        return gate.holding().stream()
                .map(holder -> new MoveDecision.Blocker("Router", holder.name(), holder.reason()))
                .toList();
    }
}
