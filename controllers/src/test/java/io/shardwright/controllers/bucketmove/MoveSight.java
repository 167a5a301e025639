package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.MovePhases;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Names;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ReportDraft;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveDecision.Act;
import io.shardwright.planning.moves.MoveDecision.Blocker;
import io.shardwright.planning.moves.MoveDecision.Wait;
import io.shardwright.planning.moves.MoveFault;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MovePlanner;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.planning.moves.WayBack;
import io.shardwright.planning.windows.Closure;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Role;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** What a scenario of a status sees, with everything that most of them share: a move of two buckets from ds-0 to ds-4. */
final class MoveSight {
    static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");
    static final AckGate HELD = new AckGate(
            Map.of(Role.WORKER, 2, Role.WEB, 2),
            Map.of(Role.WORKER, 2, Role.WEB, 1),
            List.of(new AckGate.Holder("orders-web-7 (web)", "silent: delete the pod or wait until it answers")),
            true);
    static final Duration SOAK = Duration.ofHours(1);
    private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-000000000042");
    private static final UUID BACK = MoveTask.reversalId(ID);
    private static final SortedSet<Scope> BUCKETS = Scope.buckets(3, 17);
    private static final AckGate OPEN =
            new AckGate(Map.of(Role.WORKER, 2, Role.WEB, 2), Map.of(Role.WORKER, 2, Role.WEB, 2), List.of(), true);

    private BucketMoveStatus stored;
    private Optional<SeenMove.Refusal> refusal = Optional.empty();
    private Optional<MoveReport> report = Optional.empty();
    private Optional<MoveObservation.Truth> truth = Optional.empty();
    private SortedSet<Scope> announced = new TreeSet<>();
    private SortedSet<Scope> folded = new TreeSet<>();
    private Duration foldedFor = Duration.ZERO;
    private Duration sinceChange = Duration.ZERO;
    private AckGate gate = OPEN;
    private MoveObservation.Drain drain = MoveObservation.Drain.NONE;
    private BucketMoveSpec.Intent intent = BucketMoveSpec.Intent.RUN;
    private MoverView wayBack = MoverView.FRESH;
    private boolean deleted;
    private boolean looked;
    private Optional<String> forceReclaim = Optional.empty();
    private Optional<Closure> closed = Optional.empty();
    private Duration openFor = Duration.ZERO;

    /** Verified, and these buckets have moved. */
    static MoveSight verified(Integer... moved) {
        List<MoveReport.Switch> switches =
                List.of(moved).stream().map(MoveSight::switched).toList();
        return new MoveSight()
                .rows(FenceState.OWNED, FenceState.IMPORTING, moved)
                .report(Stage.VERIFIED, new Progress(3000, 3000, 0, 0), switches, Optional.empty());
    }

    static MoveReport.Switch switched(int bucket) {
        return new MoveReport.Switch(
                new TreeMap<>(Map.of(Scope.bucket(bucket), 2L)),
                true,
                3.25,
                4.0625,
                Map.of("drain", 1.0, "fence", 1.25, "hop", 0.5, "apply", 1.0, "release", 0.3125),
                List.of());
    }

    static Act act(MovePhase phase, MoveStep step, String reason) {
        return new Act(phase, step, BUCKETS, reason);
    }

    static Wait awaiting(MovePhase phase, String reason, String awaited, Blocker... blockers) {
        return new Wait(phase, reason, awaited, Optional.empty(), List.of(blockers));
    }

    MoveSight intent(BucketMoveSpec.Intent wanted) {
        intent = wanted;
        return this;
    }

    MoveSight deleted() {
        deleted = true;
        return this;
    }

    MoveSight after(BucketMoveStatus status) {
        stored = status;
        return this;
    }

    MoveSight refused(Reason reason, String message) {
        refusal = Optional.of(new SeenMove.Refusal(reason, message));
        return this;
    }

    MoveSight report(Stage stage, Progress progress, List<MoveReport.Switch> switches, Optional<Failure> failure) {
        report = Optional.of(new ReportDraft(MoveReport.FRESH)
                .stage(stage)
                .progress(progress)
                .verification(stage == Stage.VERIFIED ? new Verification(2, 8, 0) : Verification.NONE)
                .gate(false, "", stage == Stage.VERIFIED ? Optional.of(3.25) : Optional.empty())
                .switches(switches)
                .failure(failure)
                .done());
        return this;
    }

    /** What has failed is the last look at the fence rows. */
    MoveSight byALook() {
        looked = true;
        return this;
    }

    /** What is compared differs, and nothing can be copied again. */
    MoveSight failed(String difference) {
        return report(
                Stage.IN_SYNC,
                Progress.NONE,
                List.of(),
                Optional.of(new Failure(Failure.Kind.DIVERGED, false, difference, "compare the rows")));
    }

    /** Source and target of the way there; buckets that have moved are MOVED and OWNED. */
    MoveSight rows(FenceState source, FenceState target, Integer... moved) {
        return rows(source, target, ID, "ds-4", 1, moved);
    }

    /** The same of the way back: ds-4 is its source. */
    MoveSight rowsBack(FenceState source, FenceState target, Integer... moved) {
        return rows(source, target, BACK, "ds-0", 2, moved);
    }

    /** Fenced on ds-0 and not activated on ds-4. */
    MoveSight fenced() {
        return rows(FenceState.MOVED, 2, FenceState.IMPORTING, new TreeMap<>());
    }

    /** A failover of ds-0 has lost the fence. */
    MoveSight twoOwners() {
        return rows(FenceState.OWNED, 1, FenceState.OWNED, new TreeMap<>());
    }

    /** ds-0 was the older of two owners. */
    MoveSight demoted() {
        SortedMap<Scope, String> demoted = new TreeMap<>();
        BUCKETS.forEach(bucket -> demoted.put(bucket, "ds-0"));
        return rows(FenceState.MOVED, 2, FenceState.OWNED, demoted);
    }

    private MoveSight rows(FenceState source, long epoch, FenceState target, SortedMap<Scope, String> demoted) {
        SortedMap<Scope, FenceRow> left = new TreeMap<>();
        SortedMap<Scope, FenceRow> right = new TreeMap<>();
        for (Scope scope : BUCKETS) {
            left.put(scope, new FenceRow(scope, source, epoch, "ds-4", ID));
            right.put(scope, new FenceRow(scope, target, target == FenceState.IMPORTING ? 1 : 2, "ds-4", ID));
        }
        truth = Optional.of(new MoveObservation.Truth(left, right, true, Duration.ZERO, demoted));
        return this;
    }

    /** What a person has written there. */
    MoveSight forceReclaim(String moveId) {
        forceReclaim = Optional.of(moveId);
        return this;
    }

    private MoveSight rows(FenceState source, FenceState target, UUID id, String owner, long epoch, Integer... moved) {
        SortedMap<Scope, FenceRow> left = new TreeMap<>();
        SortedMap<Scope, FenceRow> right = new TreeMap<>();
        for (Scope scope : BUCKETS) {
            boolean done = List.of(moved).contains(scope.bucket());
            long now = done ? epoch + 1 : epoch;
            left.put(scope, new FenceRow(scope, done ? FenceState.MOVED : source, now, owner, id));
            right.put(scope, new FenceRow(scope, done ? FenceState.OWNED : target, now, owner, id));
        }
        truth = Optional.of(new MoveObservation.Truth(left, right, true, Duration.ZERO, new TreeMap<>()));
        return this;
    }

    MoveSight announced() {
        announced = BUCKETS;
        return this;
    }

    MoveSight folded() {
        folded = BUCKETS;
        return this;
    }

    MoveSight foldedFor(Duration duration) {
        foldedFor = duration;
        return folded();
    }

    MoveSight heldSince(Duration duration) {
        gate = HELD;
        sinceChange = duration;
        return this;
    }

    /** Everybody has routed by the new map for so long. */
    MoveSight acknowledgedFor(Duration duration) {
        openFor = duration;
        return this;
    }

    MoveSight closed(Closure why) {
        closed = Optional.of(why);
        return this;
    }

    /** As the arbiter says it: who has not begun waits for the window with all else that it waits for. */
    private MoveObservation.Admission admission(boolean begun) {
        List<Blocker> start =
                begun ? List.of() : closed.map(Blocker::of).stream().toList();
        return new MoveObservation.Admission(Optional.empty(), start, List.of(), List.of(), closed);
    }

    MoveSight failedDrains(int attempts) {
        drain = new MoveObservation.Drain(attempts, Duration.ZERO, List.of());
        return this;
    }

    MoveSight following() {
        return wayBack(MoveObservation.Stage.FOLLOWING, Optional.empty());
    }

    MoveSight wayBackLost(String message) {
        return wayBack(
                MoveObservation.Stage.NONE,
                Optional.of(new MoveFault(
                        MoveFault.Kind.POSITION_LOST,
                        false,
                        message,
                        "create a BucketMove from ds-4 to ds-0",
                        Duration.ZERO,
                        1)));
    }

    MoveSight compared() {
        return wayBack(MoveObservation.Stage.COMPARED, Optional.empty());
    }

    MoveSight differing(String message) {
        return wayBack(
                MoveObservation.Stage.FOLLOWING,
                Optional.of(
                        new MoveFault(MoveFault.Kind.DIVERGED, true, message, "compare the rows", Duration.ZERO, 1)));
    }

    private MoveSight wayBack(MoveObservation.Stage stage, Optional<MoveFault> fault) {
        wayBack = new MoverView(stage, Optional.empty(), Optional.empty(), fault, Optional.empty(), Optional.empty());
        return this;
    }

    /** What the planner is told of the way back, with this status stored. */
    WayBack wayBack(BucketMoveStatus before) {
        return wayBack(WayBack.Outcome.OPEN, before);
    }

    private WayBack wayBack(WayBack.Outcome outcome, BucketMoveStatus before) {
        return new WayBack(wayBack, outcome, Reversibility.differed(before), comparedAge());
    }

    private Optional<Duration> comparedAge() {
        return wayBack.stage() == MoveObservation.Stage.COMPARED ? Optional.of(Duration.ZERO) : Optional.empty();
    }

    BucketMoveStatus status(MoveDecision decision, Instant now) {
        return MoveStatusFactory.status(seen(now), decision, now);
    }

    /** By the decision that the planner takes on what is seen. */
    BucketMoveStatus planned(Instant now) {
        SeenMove seen = seen(now);
        MoveDecision decision = MovePlanner.plan(seen.observation());
        Optional<Wait> shown = decision instanceof MoveDecision.Aside aside ? aside.shown() : Optional.empty();
        return MoveStatusFactory.status(
                seen, shown.map(MoveDecision.class::cast).orElse(decision), now);
    }

    private SeenMove seen(Instant now) {
        BucketMove move = move();
        boolean back = MovePhases.reverses(move);
        Leg leg = back ? Leg.BACK : Leg.THERE;
        MoveObservation observation = new MoveObservation(
                back
                        ? new MoveObservation.Task(
                                BACK, ID, leg, "ds-4", "ds-0", BUCKETS, 1, Duration.ofSeconds(10), Duration.ZERO)
                        : new MoveObservation.Task(
                                ID, BACK, leg, "ds-0", "ds-4", BUCKETS, 1, Duration.ofSeconds(10), SOAK),
                back ? MovePhases.ofReversal(move).orElseThrow() : MovePhases.of(move),
                LegIntents.of(move, leg, true),
                MoveObserver.pointOfNoReturn(move, leg),
                admission(back || stored != null),
                truth,
                report.map(one -> MoverViews.view(view(one), 0)).orElse(MoverView.FRESH),
                back ? WayBack.NONE : wayBack(outcome(move), stored),
                new MoveObservation.TableView(
                        announced, folded, folded, folded, sinceChange, Duration.ZERO, Duration.ZERO),
                new MoveObservation.Acks(gate, gate, gate, gate, openFor),
                MoveObserver.forceReclaim(move),
                foldedFor,
                drain,
                now);
        return new SeenMove(
                move,
                Optional.empty(),
                refusal,
                Optional.empty(),
                report.map(this::view),
                report.map(one -> one.switches().size()).orElse(0),
                Optional.empty(),
                Optional.empty(),
                observation);
    }

    private static WayBack.Outcome outcome(BucketMove move) {
        return MovePhases.ofReversal(move)
                .map(phase ->
                        phase == MovePhase.SUCCEEDED ? WayBack.Outcome.TAKEN_BACK : WayBack.Outcome.DECIDED_AGAINST)
                .orElse(WayBack.Outcome.OPEN);
    }

    private BucketMove move() {
        BucketMove move = new BucketMove();
        move.getMetadata().setName("orders-5");
        move.getMetadata().setNamespace("shop");
        move.getMetadata().setGeneration(1L);
        forceReclaim.ifPresent(id -> move.getMetadata().setAnnotations(Map.of(Names.FORCE_RECLAIM_ANNOTATION, id)));
        if (deleted) {
            move.getMetadata().setDeletionTimestamp(EIGHT.toString());
        }
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"),
                "ds-0",
                "ds-4",
                List.copyOf(Scope.bucketsOf(BUCKETS)),
                null,
                null,
                null,
                intent));
        move.setStatus(stored);
        return move;
    }

    private MoverSeat.View view(MoveReport report) {
        Optional<MoverFaults.Fault> fault = report.failure().map(failure -> new MoverFaults.Fault(failure, 0, 1));
        return new MoverSeat.View(
                report,
                MoveTask.Limits.defaults(),
                0,
                OptionalLong.empty(),
                OptionalLong.empty(),
                looked ? Optional.empty() : fault,
                looked ? fault : Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty());
    }
}
