package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.moves.MoveDecision.Blocker;
import io.shardwright.planning.moves.MoveObservation.Acks;
import io.shardwright.planning.moves.MoveObservation.Admission;
import io.shardwright.planning.moves.MoveObservation.Drain;
import io.shardwright.planning.moves.MoveObservation.Gate;
import io.shardwright.planning.moves.MoveObservation.GateCause;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.TableView;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** Builds observations of a move of buckets 3 and 17 from ds-0 to ds-4 that is verified and free to switch. */
final class Sight {
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    static final AckGate OPEN = new AckGate(Map.of(), Map.of(), List.of(), true);
    static final AckGate SHUT = new AckGate(
            Map.of(),
            Map.of(),
            List.of(new AckGate.Holder(
                    "orders-web-7 (web)", "silent for over 30 s: delete the pod or wait until it answers")),
            true);

    private static final UUID MOVE = new UUID(1, 1);
    private static final UUID OTHER = new UUID(2, 2);
    private static final SortedSet<Integer> BUCKETS = set(3, 17);

    private final SortedMap<Integer, FenceRow> source = new TreeMap<>();
    private final SortedMap<Integer, FenceRow> target = new TreeMap<>();
    private boolean readable = true;
    private boolean resumable = true;
    private Duration truthAge = Duration.ZERO;
    private MovePhase stored = MovePhase.READY;
    private boolean abortWanted;
    private boolean pointOfNoReturn;
    private Optional<String> refusal = Optional.empty();
    private List<Blocker> start = List.of();
    private List<Blocker> hold = List.of();
    private List<Blocker> switching = List.of();
    private Stage stage = Stage.VERIFIED;
    private Optional<MoveStep> running = Optional.empty();
    private Optional<Gate> gate = Optional.of(Gate.open(Duration.ofMillis(200)));
    private Optional<MoveFault> fault = Optional.empty();
    private Optional<MoveFault> retried = Optional.empty();
    private SortedSet<Integer> announced = BUCKETS;
    private SortedSet<Integer> workers = set();
    private SortedSet<Integer> web = set();
    private SortedSet<Integer> folded = set();
    private Duration since = Duration.ofSeconds(5);
    private AckGate announcedAcks = OPEN;
    private AckGate workerAcks = OPEN;
    private AckGate webAcks = OPEN;
    private AckGate foldedAcks = OPEN;
    private Duration openFor = Duration.ZERO;
    private Drain drain = Drain.NONE;

    static Sight aMove() {
        Sight sight = new Sight();
        BUCKETS.forEach(bucket -> sight.pair(bucket, FenceState.OWNED, 7, FenceState.IMPORTING, 7));
        return sight;
    }

    static Sight aNewMove() {
        Sight sight = new Sight().stored(MovePhase.PENDING).fresh();
        sight.announced = set();
        BUCKETS.forEach(bucket -> sight.source.put(bucket, new FenceRow(bucket, FenceState.OWNED, 7, "ds-0", OTHER)));
        return sight;
    }

    /** All buckets are activated and folded, and everybody knows. */
    static Sight aFoldedMove() {
        Sight sight = aMove().stored(MovePhase.PUBLISHING);
        BUCKETS.forEach(sight::activated);
        sight.announced = set();
        sight.folded = BUCKETS;
        return sight;
    }

    Sight pair(int bucket, FenceState from, long fromEpoch, FenceState to, long toEpoch) {
        UUID sourceMove = from == FenceState.OWNED && fromEpoch == 7 ? OTHER : MOVE;
        source.put(bucket, new FenceRow(bucket, from, fromEpoch, null, sourceMove));
        target.put(bucket, new FenceRow(bucket, to, toEpoch, null, MOVE));
        return this;
    }

    Sight fenced(int bucket) {
        return pair(bucket, FenceState.MOVED, 8, FenceState.IMPORTING, 7);
    }

    Sight activated(int bucket) {
        return pair(bucket, FenceState.MOVED, 8, FenceState.OWNED, 8);
    }

    Sight aborted(int bucket) {
        return pair(bucket, FenceState.OWNED, 9, FenceState.ABORTED, 7);
    }

    Sight targetLost(int bucket) {
        source.put(bucket, new FenceRow(bucket, FenceState.MOVED, 8, null, MOVE));
        target.remove(bucket);
        return this;
    }

    Sight notOwner(int bucket) {
        source.put(bucket, new FenceRow(bucket, FenceState.MOVED, 9, "ds-2", OTHER));
        target.remove(bucket);
        return this;
    }

    Sight unreadable() {
        readable = false;
        return this;
    }

    Sight notResumable() {
        resumable = false;
        return this;
    }

    Sight truthAge(int seconds) {
        truthAge = Duration.ofSeconds(seconds);
        return this;
    }

    Sight stored(MovePhase phase) {
        stored = phase;
        return this;
    }

    Sight abortWanted() {
        abortWanted = true;
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

    Sight fresh() {
        gate = Optional.empty();
        return stage(Stage.NONE);
    }

    Sight stage(Stage reached) {
        stage = reached;
        return this;
    }

    Sight running(MoveStep step) {
        running = Optional.of(step);
        return this;
    }

    Sight gate(boolean open, int ageMillis) {
        Duration age = Duration.ofMillis(ageMillis);
        gate = Optional.of(open ? Gate.open(age) : shut("the lag is 3 MiB", age, Duration.ZERO, GateCause.BEHIND));
        return this;
    }

    Sight gateShutFor(int seconds, int ageMillis, GateCause cause, String... sessions) {
        Duration age = Duration.ofMillis(ageMillis);
        gate = Optional.of(shut("shut by " + cause, age, Duration.ofSeconds(seconds), cause, sessions));
        return this;
    }

    private static Gate shut(String reason, Duration age, Duration shutFor, GateCause cause, String... sessions) {
        return new Gate(false, reason, age, shutFor, cause, List.of(sessions));
    }

    Sight unmeasured() {
        gate = Optional.empty();
        return this;
    }

    Sight fault(MoveFault.Kind kind, boolean curable, int ageSeconds) {
        return fault(kind, curable, ageSeconds, 1);
    }

    Sight fault(MoveFault.Kind kind, boolean curable, int ageSeconds, int times) {
        fault = Optional.of(
                new MoveFault(kind, curable, "saw " + kind, "do something", Duration.ofSeconds(ageSeconds), times));
        return this;
    }

    /** The next try is under way and has not got past what failed. */
    Sight retrying(MoveStep step) {
        retried = fault;
        fault = Optional.empty();
        return running(step);
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
        return MovePlanner.plan(new MoveObservation(
                new Task(MOVE, "ds-0", "ds-4", BUCKETS, 1, Duration.ofSeconds(10)),
                stored,
                abortWanted,
                pointOfNoReturn,
                new Admission(refusal, start, hold, switching),
                readable ? Optional.of(new Truth(source, target, resumable, truthAge)) : Optional.empty(),
                new MoverView(stage, running, gate, fault, retried),
                new TableView(announced, workers, web, folded, since, since, since),
                new Acks(announcedAcks, workerAcks, webAcks, foldedAcks, openFor),
                drain,
                NOW));
    }

    static SortedSet<Integer> set(Integer... buckets) {
        return new TreeSet<>(List.of(buckets));
    }
}
