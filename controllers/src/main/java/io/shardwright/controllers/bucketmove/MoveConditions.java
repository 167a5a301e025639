package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.report.ConditionBook;
import io.shardwright.controllers.shardpolicy.Closures;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveFault;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.RecoveryAction;
import io.shardwright.planning.moves.Standing;
import io.shardwright.routing.Scope;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The conditions of a move. What a phase has passed stays said while the move is blocked or taken back. */
final class MoveConditions {
    private static final Set<MovePhase> COPIED = EnumSet.of(
            MovePhase.CATCHING_UP,
            MovePhase.VERIFYING,
            MovePhase.READY,
            MovePhase.SWITCHING,
            MovePhase.PUBLISHING,
            MovePhase.REVERSIBLE,
            MovePhase.REVERSING,
            MovePhase.CLEANING_UP,
            MovePhase.SUCCEEDED,
            MovePhase.REVERSED);
    private static final Set<MovePhase> SYNCED = without(COPIED, MovePhase.CATCHING_UP);
    private static final Set<MovePhase> VERIFIED = without(SYNCED, MovePhase.VERIFYING);
    private static final Set<MovePhase> KEEPS = EnumSet.of(
            MovePhase.BLOCKED,
            MovePhase.PAUSED,
            MovePhase.ABORTING,
            MovePhase.ABORTED,
            MovePhase.FAILED,
            MovePhase.PENDING);

    private final SeenMove seen;
    private final MoveDecision decision;
    private final MovePhase phase;
    private final Reversibility reversibility;
    private final BucketMoveStatus stored;
    private final ConditionBook book;

    private MoveConditions(
            SeenMove seen, MoveDecision decision, Reversibility reversibility, BucketMoveStatus stored, Instant now) {
        this.seen = seen;
        this.decision = decision;
        this.phase = seen.phase(decision.phase());
        this.reversibility = reversibility;
        this.stored = stored;
        this.book =
                new ConditionBook(stored.conditions(), seen.move().getMetadata().getGeneration(), now);
    }

    static List<Condition> of(
            SeenMove seen, MoveDecision decision, Reversibility reversibility, BucketMoveStatus stored, Instant now) {
        MoveConditions conditions = new MoveConditions(seen, decision, reversibility, stored, now);
        conditions.accepted();
        conditions.passed(ConditionType.COPY_COMPLETE, COPIED, Reason.COPIED, Reason.COPYING);
        conditions.passed(ConditionType.IN_SYNC, SYNCED, Reason.CAUGHT_UP, Reason.CATCHING_UP);
        conditions.passed(ConditionType.VERIFIED, VERIFIED, Reason.VERIFIED, Reason.VERIFYING);
        conditions.switched();
        conditions.reversible();
        conditions.progressing();
        conditions.ready();
        return conditions.book.done();
    }

    private static Set<MovePhase> without(Set<MovePhase> phases, MovePhase one) {
        Set<MovePhase> rest = EnumSet.copyOf(phases);
        rest.remove(one);
        return rest;
    }

    private void accepted() {
        seen.refusal()
                .ifPresentOrElse(
                        refusal -> book.say(
                                ConditionType.ACCEPTED, ConditionStatus.FALSE, refusal.reason(), refusal.message()),
                        () -> book.say(
                                ConditionType.ACCEPTED,
                                ConditionStatus.TRUE,
                                Reason.ACCEPTED,
                                Reason.ACCEPTED.meaning()));
    }

    private void passed(ConditionType type, Set<MovePhase> phases, Reason done, Reason open) {
        boolean kept = KEEPS.contains(phase) && Conditions.isTrue(stored.conditions(), type);
        if (kept || phases.contains(phase)) {
            book.say(type, ConditionStatus.TRUE, done, done.meaning());
        } else {
            boolean here = phase == MovePhase.COPYING && open == Reason.COPYING
                    || phase == MovePhase.CATCHING_UP && open == Reason.CATCHING_UP
                    || phase == MovePhase.VERIFYING && open == Reason.VERIFYING;
            Reason reason = here ? open : Reason.PENDING;
            book.say(type, ConditionStatus.FALSE, reason, here ? open.meaning() : "not reached yet");
        }
    }

    private void switched() {
        Optional<SortedSet<Scope>> arrived = seen.arrived();
        if (arrived.isEmpty() && book.keep(ConditionType.WRITES_SWITCHED)) {
            return;
        }
        int moved = arrived.map(SortedSet::size).orElse(0);
        int all = seen.observation().task().scopes().size();
        Reason reason = moved == 0 ? Reason.NOT_SWITCHED : moved < all ? Reason.PARTLY_SWITCHED : Reason.SWITCHED;
        book.say(
                ConditionType.WRITES_SWITCHED,
                ConditionStatus.of(moved == all),
                reason,
                arrived.isEmpty()
                        ? reason.meaning()
                        : moved + " of " + all + " "
                                + MoveScopes.noun(seen.observation().task().scopes())
                                + "s are owned by "
                                + seen.move().getSpec().to());
    }

    private void reversible() {
        book.say(ConditionType.REVERSIBLE, reversibility.status(), reversibility.reason(), reversibility.message());
    }

    private void progressing() {
        boolean goesOn = !phase.terminal()
                && phase != MovePhase.BLOCKED
                && phase != MovePhase.PAUSED
                && phase != MovePhase.PENDING
                && seen.refusal().isEmpty();
        book.say(ConditionType.PROGRESSING, ConditionStatus.of(goesOn), reason(), message());
    }

    private String message() {
        if (!(decision instanceof MoveDecision.Wait wait)) {
            return decision.reason();
        }
        String again = wait.phase() == MovePhase.BLOCKED && wait.byItself() ? "; tried again by itself" : "";
        return wait.reason() + "; awaits " + (MovePatience.holds(seen, wait) ? "acknowledgements" : wait.awaited())
                + again;
    }

    private Reason reason() {
        if (decision instanceof MoveDecision.Wait wait
                && !wait.blockedBy().isEmpty()
                && !MovePatience.holds(seen, wait)) {
            return switch (wait.blockedBy().get(0).kind()) {
                case "Router" -> Reason.AWAITING_ACKS;
                case "Session" -> wait.advice().isPresent() ? Reason.AWAITING_GATE : Reason.DRAIN_TIMEOUT;
                case "BucketMove" -> wait.phase() == MovePhase.PENDING ? Reason.PENDING : Reason.AWAITING_SWITCH;
                case "ShardPolicy" -> byWindow();
                default -> byHold();
            };
        }
        return seen.leg() == Leg.BACK ? ofReversal() : ofPhase(decision.phase());
    }

    /** In words that people know from the way there, where those say it as well. */
    private Reason ofReversal() {
        return switch (decision.phase()) {
            case VERIFYING, READY, SWITCHING, PUBLISHING, CLEANING_UP, PAUSED, BLOCKED -> ofPhase(decision.phase());
            default -> Reason.REVERSING;
        };
    }

    private Reason ofPhase(MovePhase one) {
        return switch (one) {
            case PENDING -> Reason.PENDING;
            case VALIDATING -> Reason.VALIDATING;
            case PREPARING, COPYING -> Reason.COPYING;
            case CATCHING_UP -> Reason.CATCHING_UP;
            case VERIFYING -> Reason.VERIFYING;
            case READY -> Reason.AWAITING_GATE;
            case SWITCHING -> Reason.SWITCHING;
            case PUBLISHING -> Reason.PUBLISHING;
            case REVERSIBLE -> reversibility.reason();
            case REVERSING -> Reason.REVERSING;
            case REVERSED -> Reason.REVERSED;
            case PAUSED -> Reason.PAUSED;
            case CLEANING_UP -> Reason.CLEANING_UP;
            case SUCCEEDED -> left().isEmpty() ? Reason.SUCCEEDED : Reason.PARTIALLY_MOVED;
            case BLOCKED -> byFault();
            case ABORTING -> Reason.ABORTING;
            case ABORTED -> Reason.ABORTED;
            case FAILED -> Reason.FAILED;
        };
    }

    private Reason byWindow() {
        return seen.observation().admission().closed().map(Closures::reason).orElse(Reason.OUTSIDE_WINDOWS);
    }

    private Reason byHold() {
        return seen.cluster()
                .filter(cluster -> cluster.getSpec().suspend())
                .map(cluster -> Reason.SUSPENDED)
                .orElse(Reason.MAINTENANCE);
    }

    private Reason byFault() {
        if (seen.refusal().isPresent()) {
            return seen.refusal().get().reason();
        }
        if (decision instanceof MoveDecision.Wait wait && wait.byRows()) {
            return byRows();
        }
        if (refusesToReverse()) {
            return reversibility.reason();
        }
        MoveObservation.MoverView mover = seen.observation().mover();
        MoveObservation.MoverView back = seen.observation().wayBack().mover();
        Optional<MoveFault> own = reclaimed(mover).or(mover::fault).or(mover::retried);
        if (own.isEmpty() && reversibility.reason() == Reason.DIVERGED) {
            return Reason.DIVERGED;
        }
        return own.or(back::fault)
                .or(back::retried)
                .map(MoveFault::kind)
                .map(kind -> switch (kind) {
                    case UNREACHABLE -> Reason.UNREACHABLE_SHARD;
                    case SOURCE_READ_ONLY -> Reason.SOURCE_READ_ONLY;
                    case VALIDATION -> Reason.VALIDATION_FAILED;
                    case FOREIGN_ROWS -> Reason.FOREIGN_ROWS;
                    case SCHEMA_CHANGED -> Reason.SCHEMA_CHANGED;
                    case POSITION_LOST -> Reason.POSITION_LOST;
                    case DIVERGED -> Reason.DIVERGED;
                    case SUPERSEDED -> Reason.SUPERSEDED;
                    case TWO_OWNERS -> Reason.TWO_OWNERS;
                    case RECLAIMED -> Reason.FORCE_RECLAIMED;
                    case DECIDED_AGAINST, OTHER -> Reason.BLOCKED;
                })
                .orElse(Reason.BLOCKED);
    }

    /** Stays said while the target is looked for, which fails as long as it is gone. */
    private static Optional<MoveFault> reclaimed(MoveObservation.MoverView mover) {
        return mover.ofWork().filter(fault -> fault.kind() == MoveFault.Kind.RECLAIMED);
    }

    private Reason byRows() {
        MoveObservation observation = seen.observation();
        if (Standing.of(observation.task(), observation.truth().orElseThrow()).any(RecoveryAction.FREEZE)) {
            return Reason.TWO_OWNERS;
        }
        return observation.truth().orElseThrow().demoted().isEmpty() ? Reason.BLOCKED : Reason.OWNER_DEMOTED;
    }

    private boolean refusesToReverse() {
        return seen.observation().intent() == Intent.REVERSE
                && (reversibility.reason() == Reason.WAY_BACK_LOST
                        || reversibility.reason() == Reason.REVERSAL_ABORTED);
    }

    /** Buckets or keys that the target does not own. */
    private Set<Scope> left() {
        Set<Scope> left = new TreeSet<>(seen.observation().task().scopes());
        seen.arrived().ifPresentOrElse(left::removeAll, left::clear);
        return left;
    }

    private void ready() {
        boolean done = isWhatWasAsked();
        if (decision instanceof MoveDecision.Done && seen.mover().isEmpty()) {
            done = Conditions.isTrue(stored.conditions(), ConditionType.READY);
        }
        Reason reason = phase == MovePhase.SUCCEEDED && !done && left().isEmpty() ? notAsked() : reason();
        book.say(ConditionType.READY, ConditionStatus.of(done), reason, done ? decision.reason() : message());
    }

    private boolean isWhatWasAsked() {
        BucketMoveSpec.Intent intent = seen.move().getSpec().intent();
        return switch (phase) {
            case SUCCEEDED ->
                left().isEmpty() && intent != BucketMoveSpec.Intent.REVERSE && intent != BucketMoveSpec.Intent.ABORT;
            case REVERSED -> intent == BucketMoveSpec.Intent.REVERSE;
            default -> false;
        };
    }

    /** All has moved, and something else was wanted. */
    private Reason notAsked() {
        return seen.move().getSpec().intent() == BucketMoveSpec.Intent.REVERSE
                ? reversibility.reason()
                : Reason.SWITCHED;
    }
}
