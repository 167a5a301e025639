package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What must hold in every pass of a simulated move, whatever has happened before. */
final class MoveOracle {
    /** By their phases others keep off, or what cannot be taken back is stored first. */
    private static final Set<MoveStep> TOLD_FIRST =
            EnumSet.of(MoveStep.SWITCH, MoveStep.CLEAN_UP, MoveStep.ABORT, MoveStep.TURN_BACK, MoveStep.DISMISS);

    private static final Duration WRITABLE_AGAIN = Duration.ofSeconds(60);

    private static final Duration CLOSED_AGAIN = Duration.ofSeconds(60);

    private final Map<Scope, Instant> ownerless = new HashMap<>();
    private final Map<Scope, Instant> twiceOwned = new HashMap<>();
    private final MoveWorld world;
    private final SimulatedTable table;

    MoveOracle(MoveWorld world, SimulatedTable table) {
        this.world = world;
        this.table = table;
    }

    void check(MoveObservation seen, MoveDecision decision) {
        if (MoveStateMachine.transition(seen.stored(), decision.phase()) == MoveStateMachine.Transition.FORBIDDEN) {
            throw new AssertionError("forbidden: " + seen.stored() + " to " + decision.phase());
        }
        if (decision instanceof MoveDecision.Wait wait
                && (wait.reason().isBlank() || wait.awaited().isBlank())) {
            throw new AssertionError("a wait without a reason");
        }
        step(decision).ifPresent(step -> step(seen, decision, step));
        if (seen.pointOfNoReturn() && seen.wayBack().isOpen() && decision.phase() == MovePhase.REVERSING) {
            throw new AssertionError("a reversal after the point of no return");
        }
        seen.task().scopes().forEach(this::scope);
        seen.task().scopes().forEach(scope -> writable(seen, scope));
        seen.task().scopes().forEach(scope -> ownedOnce(scope, seen.now()));
        untouched(seen, decision);
        if (decision instanceof MoveDecision.Done) {
            seen.task().scopes().forEach(scope -> ended(seen, decision.phase(), scope));
        }
    }

    private static Optional<MoveStep> step(MoveDecision decision) {
        return switch (decision) {
            case MoveDecision.Act act -> Optional.of(act.step());
            case MoveDecision.Aside aside -> aside.step().map(MoveDecision.Act::step);
            case MoveDecision.Wait wait -> Optional.empty();
            case MoveDecision.Done done -> Optional.empty();
        };
    }

    private void step(MoveObservation seen, MoveDecision decision, MoveStep step) {
        if (decision instanceof MoveDecision.Aside && TOLD_FIRST.contains(step)) {
            throw new AssertionError("a step that its phase must tell first was taken beside " + decision.phase());
        }
        if (seen.task().leg() == Leg.BACK) {
            return;
        }
        inTheWindow(seen, decision, step);
        WayBack back = seen.wayBack();
        boolean firstSwitch = world.source.values().stream().noneMatch(world.there::ours)
                && seen.truth() // a failover may have taken the fence away since
                        .filter(truth -> truth.source().values().stream().anyMatch(world.there::ours))
                        .isEmpty();
        if (step == MoveStep.SWITCH && firstSwitch && !back.follows()) {
            throw new AssertionError("switched before the way back follows");
        }
        if (step == MoveStep.SWITCH && firstSwitch && world.written) {
            throw new AssertionError("switched although it was known that somebody had written on the target");
        }
        if (step == MoveStep.TURN_BACK && seen.pointOfNoReturn()) {
            throw new AssertionError("turned back after the point of no return");
        }
        boolean deletes = decision.phase() == MovePhase.CLEANING_UP;
        if (deletes && !seen.pointOfNoReturn() && back.isKnownToDiffer()) {
            throw new AssertionError("rows are deleted although both sides are known to differ");
        }
        if (step == MoveStep.DISMISS && deletes && !seen.pointOfNoReturn()) {
            compared(back);
        }
        if (step == MoveStep.CLEAN_UP && deletes && back.isOpen()) {
            boolean dismissed = back.mover().stage() == Stage.ABORTED && !world.back.copied;
            if (!dismissed) { // that no return is possible is stored with the phase, before the step
                throw new AssertionError("rows are deleted while the way back is open");
            }
        }
    }

    /** Outside of a window no switch begins, and nothing passes the point of no return; what is fenced is activated. */
    private static void inTheWindow(MoveObservation seen, MoveDecision decision, MoveStep step) {
        boolean fenced = seen.truth()
                .filter(truth -> Standing.of(seen.task(), truth).any(RecoveryAction.ACTIVATE))
                .isPresent();
        boolean begins = step == MoveStep.SWITCH && !fenced
                || decision.phase() == MovePhase.CLEANING_UP && !seen.pointOfNoReturn();
        if (begins && seen.admission().closed().isPresent()) {
            throw new AssertionError(step + " was begun outside of the windows");
        }
    }

    private void compared(WayBack back) {
        boolean equal = back.mover().stage() == Stage.COMPARED && !world.flipped;
        boolean lost = back.mover().fault().filter(fault -> !fault.curable()).isPresent();
        if (!equal && !lost) {
            throw new AssertionError("the way back is dismissed before both sides were compared");
        }
    }

    /** Nobody can write what nobody owns: once the faults are over that takes no longer than a switch and its repetition. */
    private void writable(MoveObservation seen, Scope scope) {
        Instant now = seen.now();
        boolean owned = MoveWorld.owns(world.source, scope) || MoveWorld.owns(world.target, scope);
        if (owned || !world.sourceTakesWrites && awaitsTheSource(seen, scope)) {
            ownerless.remove(scope);
        } else if (ownerless
                .merge(scope, now, (first, again) -> first)
                .plus(WRITABLE_AGAIN)
                .isBefore(now)) {
            throw new AssertionError("nobody owns bucket " + scope + " for over " + WRITABLE_AGAIN);
        }
    }

    /**
     * Only the source can give it an owner: it was decided against, or shall be, as all are when the target has lost one that routers
     * are led to; or the way back decides there. All others are brought to the target.
     */
    private boolean awaitsTheSource(MoveObservation seen, Scope scope) {
        return seen.task().leg() == Leg.BACK
                || seen.abortWanted()
                || !world.there.fenced().contains(scope)
                || world.there.fenced().stream().anyMatch(this::isLedAway);
    }

    private boolean isLedAway(Scope scope) {
        return !table.ownerOf(scope).equals(MoveWorld.SOURCE)
                || table.now().handovers().stream()
                        .anyMatch(one ->
                                !one.visibleTo().isEmpty() && one.scopes().containsKey(scope));
    }

    /**
     * Of two owners that a failover has made the older one is closed, once the faults are over as fast as anything is done. A shard that
     * takes no writes can be closed by nobody, and takes none of the application's either.
     */
    private void ownedOnce(Scope scope, Instant now) {
        boolean twice = MoveWorld.owns(world.source, scope) && MoveWorld.owns(world.target, scope);
        if (!twice || !world.sourceTakesWrites) {
            twiceOwned.remove(scope);
        } else if (twiceOwned
                .merge(scope, now, (first, again) -> first)
                .plus(CLOSED_AGAIN)
                .isBefore(now)) {
            throw new AssertionError("bucket " + scope + " has two owners for over " + CLOSED_AGAIN);
        }
    }

    /** What the older of two owners took is not deleted before a person has looked, and no step is taken meanwhile. */
    private void untouched(MoveObservation seen, MoveDecision decision) {
        world.demoted.forEach((scope, shard) -> {
            if (!(shard.equals(MoveWorld.SOURCE) ? world.rowsOnSource : world.rowsOnTarget).contains(scope)) {
                throw new AssertionError("the rows that " + shard + " took of bucket " + scope + " are gone");
            }
        });
        boolean known = seen.truth()
                .filter(truth -> !truth.demoted().isEmpty() && allOwned(seen.task(), truth))
                .isPresent();
        step(decision)
                .filter(step -> known && step != MoveStep.OBSERVE && step != MoveStep.DEMOTE)
                .ifPresent(step -> {
                    throw new AssertionError(step + " while nobody has looked at the rows of " + world.demoted);
                });
    }

    private static boolean allOwned(MoveObservation.Task task, MoveObservation.Truth truth) {
        return task.scopes().stream()
                .allMatch(scope -> MoveWorld.owns(truth.source(), scope) || MoveWorld.owns(truth.target(), scope));
    }

    private void scope(Scope scope) {
        boolean sourceOwns = MoveWorld.owns(world.source, scope);
        boolean targetOwns = MoveWorld.owns(world.target, scope);
        if (sourceOwns && targetOwns && !world.lostFences.contains(scope)) {
            throw new AssertionError("two owners of " + scope);
        }
        if (!targetOwns && !world.rowsOnSource.contains(scope)) {
            throw new AssertionError("the rows of " + scope + " are gone and the target is not the owner");
        }
        if (!sourceOwns && targetOwns && !world.rowsOnTarget.contains(scope)) {
            throw new AssertionError("the rows of " + scope + " are gone from its owner");
        }
    }

    /** The way there ends last, with nothing left over on either side. */
    private void ended(MoveObservation seen, MovePhase phase, Scope scope) {
        boolean target = MoveWorld.owns(world.target, scope);
        boolean source = MoveWorld.owns(world.source, scope);
        boolean there = seen.task().leg() == Leg.THERE;
        if (!there && !target && !source) {
            return; // the target has lost its activation, and the way there ends that
        }
        boolean gaveBack = source && world.back.ours(world.source.get(scope));
        boolean asSaid = phase == MovePhase.SUCCEEDED || (there ? source : !gaveBack);
        boolean clean = !there || !(target ? world.rowsOnSource : world.rowsOnTarget).contains(scope);
        String owner = target ? MoveWorld.TARGET : MoveWorld.SOURCE;
        boolean routed =
                table.ownerOf(scope).equals(owner) && table.now().handovers().isEmpty();
        if (!(target || source) || !asSaid || !clean || !routed || world.back.copied) {
            throw new AssertionError("ended " + phase + ", but bucket " + scope + " of " + owner + ": owned "
                    + (target || source) + ", as said " + asSaid + ", clean " + clean + ", routed " + routed
                    + ", way back open " + world.back.copied);
        }
    }
}
