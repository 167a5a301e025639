package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.report.ConditionBook;
import io.shardwright.crds.Acks;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Hold;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Progress;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Reversal;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Switch;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Transition;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Verification;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStateMachine;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.routing.Role;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Builds the status of a BucketMove, once and fresh. Phase and waits come from the decision, figures from the mover, and what
 * this process cannot know any more (switches of an earlier leader) is kept as it was stored.
 */
final class MoveStatusFactory {
    static final BucketMoveStatus NOTHING =
            new BucketMoveStatus(null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    /** A leader's clocks differ by less; a soak that began anew differs by more. */
    private static final Duration SAME_TIME = Duration.ofSeconds(5);

    private static final Set<String> SWITCHING = Set.of(MovePhase.READY.wire(), MovePhase.SWITCHING.wire());
    private static final String BLOCKED = MovePhase.BLOCKED.wire();
    private static final int TEXT_MAX = 1024;
    private static final int REASON_MAX = 512;

    private final SeenMove seen;
    private final MoveDecision decision;
    private final Instant now;
    private final BucketMoveStatus stored;
    private final MovePhase phase;
    private final Reversibility reversibility;

    private MoveStatusFactory(SeenMove seen, MoveDecision decision, Instant now) {
        this.seen = seen;
        this.decision = decision;
        this.now = now;
        this.stored = Optional.ofNullable(seen.move().getStatus()).orElse(NOTHING);
        this.phase = seen.phase(decision.phase());
        this.reversibility = Reversibility.of(seen, decision, stored);
    }

    static BucketMoveStatus status(SeenMove seen, MoveDecision decision, Instant now) {
        return new MoveStatusFactory(seen, decision, now).build();
    }

    /** The stored status, with the words of a pass that has failed; how far the move is does not change by that. */
    static BucketMoveStatus faulty(BucketMove move, String message, Instant now) {
        BucketMoveStatus stored = Optional.ofNullable(move.getStatus()).orElse(NOTHING);
        return new BucketMoveStatus(
                stored.observedGeneration(),
                MovePhases.of(move).wire(),
                stored.progress(),
                stored.hold(),
                stored.switches(),
                stored.verification(),
                stored.acks(),
                stored.reversibleUntil(),
                stored.reversal(),
                stored.pointOfNoReturn(),
                stored.blockedBy(),
                stored.nextAction(),
                stored.history(),
                new ConditionBook(stored.conditions(), move.getMetadata().getGeneration(), now)
                        .say(ConditionType.PROGRESSING, ConditionStatus.FALSE, Reason.OPERATOR_FAULT, message)
                        .keepOthers()
                        .done());
    }

    private BucketMoveStatus build() {
        List<Blocker> blockedBy = blockedBy();
        return new BucketMoveStatus(
                seen.move().getMetadata().getGeneration(),
                phase.wire(),
                progress(),
                hold(),
                switches(),
                verification(),
                acks(),
                reversibleUntil(),
                reversal(),
                pointOfNoReturn(),
                blockedBy,
                NextAction.of(seen, decision, reversibility, blockedBy)
                        .map(text -> cut(text, TEXT_MAX))
                        .orElse(null),
                history(),
                MoveConditions.of(seen, decision, reversibility, stored, now));
    }

    private Optional<MoveReport> report() {
        return seen.mover().map(MoverSeat.View::report);
    }

    private Progress progress() {
        return report().map(MoveReport::progress)
                .filter(progress -> !progress.equals(MoveReport.Progress.NONE))
                .map(progress -> seen.leg() == Leg.THERE ? progress(progress) : backProgress(progress))
                .orElseGet(() -> withoutThrottle(stored.progress()));
    }

    /** Why a mover waited that is not there any more. */
    private static Progress withoutThrottle(Progress progress) {
        return progress == null
                ? null
                : new Progress(
                        progress.rowsCopied(),
                        progress.rowsTotal(),
                        progress.bytesPerSecond(),
                        progress.lagBytes(),
                        null);
    }

    private static Progress progress(MoveReport.Progress progress) {
        return new Progress(
                progress.rowsCopied(),
                progress.rowsTotal(),
                progress.bytesPerSecond(),
                progress.lagBytes(),
                throttled(progress));
    }

    private static String throttled(MoveReport.Progress progress) {
        return progress.throttled()
                .or(progress::warning)
                .map(why -> cut(why, TEXT_MAX))
                .orElse(null);
    }

    /** A reversal copies nothing. */
    private Progress backProgress(MoveReport.Progress progress) {
        Progress before = Optional.ofNullable(stored.progress()).orElse(new Progress(null, null, null, null, null));
        return new Progress(
                before.rowsCopied(),
                before.rowsTotal(),
                progress.bytesPerSecond(),
                progress.lagBytes(),
                throttled(progress));
    }

    private Hold hold() {
        if (seen.mover().isEmpty()) {
            return stored.hold();
        }
        Double predicted = report().flatMap(MoveReport::predictedHoldMs)
                .map(KeptSwitches::rounded)
                .orElse(null);
        Double longest =
                switches().stream().map(Switch::actualMs).max(Double::compare).orElse(null);
        int attempts = seen.attempts();
        return predicted == null && longest == null && attempts == 0 ? null : new Hold(predicted, longest, attempts);
    }

    /** The way there switches nothing once a reversal has begun, so its report is older than what is stored. */
    private List<Switch> switches() {
        boolean newest = seen.leg() == Leg.BACK || stored.reversal() == null;
        return KeptSwitches.of(
                stored.switches(),
                newest ? report().map(MoveReport::switches).orElse(List.of()) : List.of(),
                seen.observation().task().scopes());
    }

    private Verification verification() {
        return report().map(MoveReport::verification)
                .filter(verification -> verification.rounds() > 0)
                .map(verification ->
                        new Verification(verification.rounds(), verification.chunks(), verification.mismatches()))
                .orElse(stored.verification());
    }

    /** Of the revision that is waited for now: the fold, else the publication, else the announcement. */
    private Acks acks() {
        MoveObservation.TableView table = seen.observation().table();
        MoveObservation.Acks acks = seen.observation().acks();
        if (decision.phase().terminal()) {
            return stored.acks();
        }
        if (!table.folded().isEmpty()) {
            return known(acks.folded(), acks.folded());
        }
        if (!table.visibleToWorkers().isEmpty()) {
            return known(acks.workers(), acks.web());
        }
        return table.announced().isEmpty() ? null : known(acks.announced(), acks.announced());
    }

    private static Acks known(AckGate workers, AckGate web) {
        if (!workers.known() || !web.known()) {
            return null;
        }
        return Acks.of(
                workers.acked().getOrDefault(Role.WORKER, 0),
                workers.live().getOrDefault(Role.WORKER, 0),
                web.acked().getOrDefault(Role.WEB, 0),
                web.live().getOrDefault(Role.WEB, 0));
    }

    /**
     * While the move soaks; kept as it was told, unless the soak has begun anew. It is a promise, see
     * {@link LegTasks#asPromised}, so a move that stands still keeps it, one that is switched back, and one whose reversal was
     * decided against: the rows of the source stay for it.
     */
    private String reversibleUntil() {
        if (phase == MovePhase.REVERSING || seen.leg() == Leg.BACK) {
            return stored.reversibleUntil();
        }
        boolean known = seen.observation().truth().isPresent();
        boolean kept = phase == MovePhase.PAUSED
                || phase == MovePhase.BLOCKED
                || phase == MovePhase.PUBLISHING && stored.reversal() != null;
        if (phase != MovePhase.REVERSIBLE && !kept || known && !Reversibility.soaks(seen)) {
            return null;
        }
        if (!known || kept) {
            return stored.reversibleUntil();
        }
        Instant end = now.plus(seen.observation().soakLeft()).truncatedTo(ChronoUnit.SECONDS);
        return Optional.ofNullable(stored.reversibleUntil())
                .map(Instant::parse)
                .filter(told -> Duration.between(told, end).abs().compareTo(SAME_TIME) < 0)
                .orElse(end)
                .toString();
    }

    private Reversal reversal() {
        if (seen.leg() == Leg.BACK) {
            return new Reversal(
                    decision.phase().wire(), passes(stored.reversal().pointOfNoReturn()));
        }
        return decision.takes(MoveStep.TURN_BACK) && stored.reversal() == null
                ? new Reversal(MovePhase.PENDING.wire(), null)
                : stored.reversal();
    }

    private Boolean pointOfNoReturn() {
        return seen.leg() == Leg.BACK ? stored.pointOfNoReturn() : passes(stored.pointOfNoReturn());
    }

    /** The leg is past its point of no return, or is going to pass it now. */
    private Boolean passes(Boolean before) {
        return Boolean.TRUE.equals(before) || decision.phase() == MovePhase.CLEANING_UP ? Boolean.TRUE : null;
    }

    private List<Blocker> blockedBy() {
        if (!(decision instanceof MoveDecision.Wait wait) || MovePatience.holds(seen, wait)) {
            return List.of();
        }
        List<Blocker> all = new ArrayList<>();
        for (MoveDecision.Blocker one : wait.blockedBy()) {
            if (all.size() == Blocker.MAX - 1 && wait.blockedBy().size() > Blocker.MAX) {
                int more = wait.blockedBy().size() - all.size();
                all.add(blocker(new MoveDecision.Blocker(one.kind(), "and " + more + " more", "hold as well")));
                break;
            }
            all.add(blocker(one));
        }
        return all;
    }

    private Blocker blocker(MoveDecision.Blocker one) {
        String since = stored.blockedBy().stream()
                .filter(before ->
                        before.kind().equals(one.kind()) && before.name().equals(one.name()))
                .map(Blocker::since)
                .findFirst()
                .orElse(now.toString());
        return new Blocker(one.kind(), cut(one.name(), 253), since, cut(one.reason(), REASON_MAX));
    }

    private List<Transition> history() {
        String told = phase.wire();
        if (isToldAlready(told) || isBetweenSwitches(told) || isTriedAgain(told)) {
            return stored.history();
        }
        List<Transition> history = new ArrayList<>(stored.history());
        history.add(new Transition(now.toString(), stored.phase(), told, cut(evidence(), TEXT_MAX)));
        int surplus = Math.max(0, history.size() - BucketMoveStatus.HISTORY_MAX);
        return List.copyOf(history.subList(surplus, history.size()));
    }

    /** A reversal that was blocked and gets on goes by the same name as while it is tried. */
    private boolean isToldAlready(String told) {
        boolean getsOn = lastTold().equals(BLOCKED)
                && decision.phase() != seen.observation().stored();
        return told.equals(stored.phase()) && (told.equals(BLOCKED) || !getsOn);
    }

    /** A move goes to and fro for each group; of that the history tells the beginning, and {@code switches} the rest. */
    private boolean isBetweenSwitches(String told) {
        return SWITCHING.contains(told)
                && SWITCHING.contains(String.valueOf(stored.phase()))
                && !lastTold().equals(BLOCKED)
                && told(MovePhase.SWITCHING.wire());
    }

    /**
     * A step that blocked the move is told by its own phase whenever it is tried again; the history says Blocked until the move
     * gets past it.
     */
    private boolean isTriedAgain(String told) {
        MovePhase tried = told.equals(BLOCKED) ? seen.observation().stored() : decision.phase();
        boolean toAndFro = told.equals(BLOCKED) || BLOCKED.equals(stored.phase());
        boolean repeated = tried == MovePhase.CLEANING_UP
                || tried == MovePhase.SWITCHING && !seen.observation().drain().equals(MoveObservation.Drain.NONE);
        return toAndFro
                && repeated
                && lastTold().equals(BLOCKED)
                && told(seen.phase(tried).wire());
    }

    private boolean told(String phase) {
        return stored.history().stream().anyMatch(one -> one.to().equals(phase));
    }

    private String lastTold() {
        return stored.history().isEmpty()
                ? ""
                : stored.history().get(stored.history().size() - 1).to();
    }

    private String evidence() {
        boolean foreseen = stored.phase() == null
                || MoveStateMachine.transition(MovePhase.fromWire(stored.phase()), phase)
                        != MoveStateMachine.Transition.FORBIDDEN;
        return foreseen
                ? decision.reason()
                : decision.reason() + " (no rule leads here from " + stored.phase()
                        + ": was this status restored from elsewhere? The fence rows count)";
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 3) + "...";
    }
}
