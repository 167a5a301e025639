package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.moves.MoveDecision.Blocker;
import io.shardwright.planning.moves.MoveObservation.Acks;
import io.shardwright.planning.moves.MoveObservation.Admission;
import io.shardwright.planning.moves.MoveObservation.Drain;
import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.TableView;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.planning.windows.Closure;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.UUID;

/** Builds observations of a move of buckets 3 and 17 from ds-0 to ds-4 that is verified and free to switch. */
final class Sight extends SightOfMovers {
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    static final AckGate OPEN = new AckGate(Map.of(), Map.of(), List.of(), true);
    static final AckGate SHUT = new AckGate(
            Map.of(),
            Map.of(),
            List.of(new AckGate.Holder(
                    "orders-web-7 (web)", "silent for over 30 s: delete the pod or wait until it answers")),
            true);

    private static final SortedSet<Scope> BUCKETS = set(3, 17);

    private MovePhase stored = MovePhase.READY;
    private Leg leg = Leg.THERE;
    private Intent intent = Intent.RUN;
    private boolean pointOfNoReturn;
    private Optional<String> refusal = Optional.empty();
    private List<Blocker> start = List.of();
    private List<Blocker> hold = List.of();
    private List<Blocker> switching = List.of();
    private Optional<Closure> closed = Optional.empty();
    private WayBack.Outcome outcome = WayBack.Outcome.OPEN;
    private boolean differed;
    private Duration comparedAge = Duration.ZERO;
    private Duration soak = Duration.ofHours(1);
    private Duration foldedFor = Duration.ZERO;
    private SortedSet<Scope> announced = BUCKETS;
    private SortedSet<Scope> workers = set();
    private SortedSet<Scope> web = set();
    private SortedSet<Scope> folded = set();
    private Duration since = Duration.ofSeconds(5);
    private AckGate announcedAcks = OPEN;
    private AckGate workerAcks = OPEN;
    private AckGate webAcks = OPEN;
    private AckGate foldedAcks = OPEN;
    private Duration openFor = Duration.ZERO;
    private Drain drain = Drain.NONE;
    private Optional<String> forceReclaim = Optional.empty();

    @Override
    Sight self() {
        return this;
    }

    static Sight aMove() {
        Sight sight = new Sight();
        BUCKETS.forEach(bucket -> sight.pair(bucket.bucket(), FenceState.OWNED, 7, FenceState.IMPORTING, 7));
        return sight;
    }

    static Sight aNewMove() {
        Sight sight = new Sight().stored(MovePhase.PENDING).fresh();
        sight.announced = set();
        sight.back(Stage.NONE);
        BUCKETS.forEach(bucket -> sight.ownedBySourceAlone(bucket.bucket()));
        return sight;
    }

    /** All buckets are activated and folded, everybody knows, and the soak is over. */
    static Sight aFoldedMove() {
        Sight sight = aSoakingMove(Duration.ofHours(1));
        sight.back(Stage.COMPARED);
        return sight;
    }

    /** All buckets are activated and folded, and may be taken back for an hour. */
    static Sight aSoakingMove(Duration foldedFor) {
        Sight sight = aMove().stored(MovePhase.REVERSIBLE).stage(Stage.RETIRED).foldedAcks(OPEN, 60);
        BUCKETS.forEach(bucket -> sight.activated(bucket.bucket()));
        sight.announced = set();
        sight.folded = BUCKETS;
        sight.foldedFor = foldedFor;
        return sight;
    }

    /** The leg from ds-4 back to ds-0, of buckets that are all activated and folded; its stream runs. */
    static Sight aWayBack() {
        Sight sight = aSoakingMove(Duration.ZERO).stored(MovePhase.PENDING).stage(Stage.FOLLOWING);
        sight.leg = Leg.BACK;
        sight.folded = set();
        return sight;
    }

    Sight stored(MovePhase phase) {
        stored = phase;
        return this;
    }

    Sight abortWanted() {
        return wanted(Intent.ABORT);
    }

    Sight wanted(Intent what) {
        intent = what;
        return this;
    }

    Sight differed() {
        differed = true;
        return this;
    }

    Sight comparedFor(Duration age) {
        comparedAge = age;
        return this;
    }

    Sight reversalEnded(WayBack.Outcome how) {
        outcome = how;
        return back(Stage.NONE);
    }

    Sight soak(Duration howLong) {
        soak = howLong;
        return this;
    }

    Sight foldedFor(Duration howLong) {
        foldedFor = howLong;
        return this;
    }

    Sight pastNoReturn() {
        pointOfNoReturn = true;
        return this;
    }

    Sight refused(String why) {
        refusal = Optional.of(why);
        return this;
    }

    Sight queuedBehind(String move) {
        start = List.of(new Blocker("BucketMove", move, "moves between the same two shards"));
        return this;
    }

    Sight suspended() {
        hold = List.of(new Blocker("ShardCluster", "orders", "is suspended (spec.suspend)"));
        return this;
    }

    Sight anotherSwitches() {
        switching = List.of(new Blocker("BucketMove", "other", "is switching on one of the two shards"));
        return this;
    }

    /** The next window opens in an hour. */
    Sight outsideOfWindows() {
        return closed(Optional.of(NOW.plusSeconds(3600)));
    }

    /** Not begun, it waits for the window as well. */
    Sight queuedForTheWindow() {
        outsideOfWindows();
        start = closed.map(Blocker::of).stream().toList();
        return this;
    }

    Sight closed(Optional<Instant> until) {
        closed = Optional.of(new Closure("tolerance", Closure.Cause.OUTSIDE, "outside of its windows", until));
        return this;
    }

    /** A person says that the target will not come back, and the buckets of this move shall. */
    Sight forcedReclaim(UUID move) {
        forceReclaim = Optional.of(move.toString());
        return this;
    }

    Sight announced(Integer... buckets) {
        announced = set(buckets);
        return this;
    }

    Sight visibleToWorkers(Integer... buckets) {
        workers = set(buckets);
        return this;
    }

    Sight visibleToWeb(Integer... buckets) {
        web = set(buckets);
        return this;
    }

    Sight folded(Integer... buckets) {
        folded = set(buckets);
        return this;
    }

    Sight sinceTheChange(int millis) {
        since = Duration.ofMillis(millis);
        return this;
    }

    Sight announcedAcks(AckGate acks) {
        announcedAcks = acks;
        return this;
    }

    Sight workerAcks(AckGate acks) {
        workerAcks = acks;
        return this;
    }

    Sight webAcks(AckGate acks) {
        webAcks = acks;
        return this;
    }

    Sight foldedAcks(AckGate acks, int openForSeconds) {
        foldedAcks = acks;
        openFor = Duration.ofSeconds(openForSeconds);
        return this;
    }

    Sight failedDrains(int attempts, int secondsAgo) {
        drain = new Drain(attempts, Duration.ofSeconds(secondsAgo), List.of("pid 4711 user app 'orders-web' 31 s"));
        return this;
    }

    MoveDecision plan() {
        return MovePlanner.plan(seen());
    }

    MoveObservation seen() {
        return new MoveObservation(
                task(),
                stored,
                intent,
                pointOfNoReturn,
                new Admission(refusal, start, hold, switching, closed),
                truth(leg),
                mover(),
                leg == Leg.BACK
                        ? WayBack.NONE
                        : new WayBack(
                                backMover(),
                                outcome,
                                differed,
                                isCompared() ? Optional.of(comparedAge) : Optional.empty()),
                new TableView(announced, workers, web, folded, since, since, since),
                new Acks(announcedAcks, workerAcks, webAcks, foldedAcks, openFor),
                forceReclaim,
                foldedFor,
                drain,
                NOW);
    }

    private Task task() {
        Duration handover = Duration.ofSeconds(10);
        return leg == Leg.THERE
                ? new Task(MOVE, REVERSAL, leg, "ds-0", "ds-4", BUCKETS, 1, handover, soak)
                : new Task(REVERSAL, MOVE, leg, "ds-4", "ds-0", BUCKETS, 1, handover, soak);
    }

    /** The decision in a few words. */
    String says() {
        MoveDecision decision = plan();
        return decision.phase().wire() + ": "
                + switch (decision) {
                    case MoveDecision.Act act -> act.step() + " " + act.group();
                    case MoveDecision.Wait wait -> "wait";
                    case MoveDecision.Aside aside ->
                        aside.shown().map(shown -> "wait, ").orElse("")
                                + aside.step()
                                        .map(act -> "aside " + act.step() + " " + act.group())
                                        .orElse("aside");
                    case MoveDecision.Done done -> "done";
                };
    }

    static SortedSet<Scope> set(Integer... buckets) {
        return Scope.buckets(buckets);
    }
}
