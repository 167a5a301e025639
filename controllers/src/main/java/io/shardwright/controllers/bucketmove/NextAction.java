package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.report.StatusText;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.Names;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.moves.ForcedReclaim;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.routing.Scope;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/** What a person can do about a move now; nothing while it goes on by itself. */
final class NextAction {
    private static final Set<MovePhase> SWITCHED =
            EnumSet.of(MovePhase.PUBLISHING, MovePhase.REVERSIBLE, MovePhase.CLEANING_UP);

    /** The command must not be cut off, however many buckets a move has. */
    private static final int NAMED = 20;

    private final SeenMove seen;
    private final MoveDecision decision;
    private final Reversibility reversibility;

    private NextAction(SeenMove seen, MoveDecision decision, Reversibility reversibility) {
        this.seen = seen;
        this.decision = decision;
        this.reversibility = reversibility;
    }

    /** @param blockedBy as the status shows them: nobody is told of who may still answer by himself */
    static Optional<String> of(
            SeenMove seen, MoveDecision decision, Reversibility reversibility, List<Blocker> blockedBy) {
        return new NextAction(seen, decision, reversibility).say(blockedBy);
    }

    private Optional<String> say(List<Blocker> blockedBy) {
        if (seen.refusal().isPresent() && decision instanceof MoveDecision.Wait) {
            return seen.refusal().map(SeenMove.Refusal::message);
        }
        return forcedReclaim()
                .or(this::tooLate)
                .or(this::advised)
                .or(() -> awaited(blockedBy))
                .or(this::paused)
                .or(this::choices)
                .or(this::unnecessary);
    }

    /** What must be true comes before the command. It stays said while the next try runs. */
    private Optional<String> forcedReclaim() {
        SortedSet<Scope> waiting = ForcedReclaim.waiting(seen.observation());
        if (waiting.isEmpty() || decision instanceof MoveDecision.Done || decision.takes(MoveStep.RECLAIM)) {
            return Optional.empty();
        }
        MoveObservation.Task task = seen.observation().task();
        BucketMove move = seen.move();
        String buckets =
                StatusText.first(NAMED, waiting.stream().map(String::valueOf).toList());
        return Optional.of(MoveScopes.noun(waiting) + "s " + buckets + " are fenced on " + task.from()
                + ", or may be: nobody can write them"
                + " until both shards answer; then the move goes on by itself. If it is " + task.to()
                + " that is lost: first make sure that nothing can reach it any more (stopped, cut off, its storage detached),"
                + " because whatever it took since the switch is not on " + task.from()
                + ". Only then give them back: kubectl"
                + " annotate bucketmove " + move.getMetadata().getName() + " -n "
                + move.getMetadata().getNamespace() + " --overwrite " + Names.FORCE_RECLAIM_ANNOTATION + "="
                + task.moveId());
    }

    private Optional<String> unnecessary() {
        boolean answered = seen.observation().forceReclaim().isPresent()
                && !decision.phase().terminal()
                && seen.observation().truth().isPresent();
        return answered
                ? Optional.of("the annotation " + Names.FORCE_RECLAIM_ANNOTATION
                        + " is not necessary: both shards answer; remove it")
                : Optional.empty();
    }

    /** An abort takes back what is not switched, and so does a deletion. */
    private Optional<String> tooLate() {
        boolean wantsBack = seen.leg() == Leg.THERE && seen.observation().intent() == Intent.ABORT;
        if (!wantsBack || !SWITCHED.contains(decision.phase())) {
            return Optional.empty();
        }
        String what = seen.move().isMarkedForDeletion()
                ? "the object goes when the move has ended: " + to() + " owns the " + what() + "; "
                : "the abort comes too late: " + to() + " owns the " + what() + ", and the move ends by itself; ";
        return Optional.of(what + undo());
    }

    private Optional<String> advised() {
        return decision instanceof MoveDecision.Wait wait
                ? wait.advice()
                        .map(advice ->
                                choices().map(choice -> advice + "; " + choice).orElse(advice))
                : Optional.empty();
    }

    private Optional<String> awaited(List<Blocker> blockedBy) {
        if (!(decision instanceof MoveDecision.Wait wait)) {
            return Optional.empty();
        }
        boolean people = wait.phase() == MovePhase.BLOCKED
                || blockedBy.stream()
                        .anyMatch(
                                one -> one.kind().equals("Router") || one.kind().equals("Session"));
        return people ? Optional.of(wait.awaited()) : Optional.empty();
    }

    private Optional<String> paused() {
        if (decision.phase() != MovePhase.PAUSED) {
            return Optional.empty();
        }
        return Optional.of(
                seen.leg() == Leg.BACK
                        ? "to go on: " + setIntent("Reverse") + "; or Run instead of Reverse, to keep on " + to()
                                + " what has not gone back"
                        : "to go on: " + setIntent("Run"));
    }

    private Optional<String> choices() {
        if (decision.phase() != MovePhase.REVERSIBLE) {
            return Optional.empty();
        }
        String complete = "to end the soak now: " + setIntent("Complete");
        return Optional.of(
                switch (reversibility.reason()) {
                    case REVERSIBLE -> undo() + "; or Complete to end the soak now";
                    case SOAK_OVER -> undo() + "; until the cleanup begins";
                    case WAY_BACK_LOST -> undo() + "; " + complete;
                    default -> complete;
                });
    }

    private String undo() {
        return reversibleYet()
                ? "to switch back: " + setIntent("Reverse")
                : "to undo it, create a BucketMove from " + to() + " to "
                        + seen.move().getSpec().from();
    }

    /** The way back is taken down only when the cleanup begins; until it runs again it may be waited for. */
    private boolean reversibleYet() {
        return reversibility.reason() == Reason.REVERSIBLE
                || reversibility.reason() == Reason.WAY_BACK_OPENING
                || reversibility.reason() == Reason.SOAK_OVER
                        && decision.phase() != MovePhase.CLEANING_UP
                        && !seen.observation().pointOfNoReturn();
    }

    private String what() {
        return MoveScopes.noun(seen.observation().task().scopes()) + "s";
    }

    private String to() {
        return seen.move().getSpec().to();
    }

    private String setIntent(String intent) {
        BucketMove move = seen.move();
        return "kubectl patch bucketmove " + move.getMetadata().getName() + " -n "
                + move.getMetadata().getNamespace() + " --type=merge -p '{\"spec\":{\"intent\":\"" + intent + "\"}}'";
    }
}
