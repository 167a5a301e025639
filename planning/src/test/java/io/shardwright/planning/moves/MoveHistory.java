package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Admission;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One operator that drives one move, there and perhaps back, through a simulated world: it observes, plans, stores, acts, and
 * is killed now and then, while its old movers go on as zombies; and one person who changes what is wanted. Virtual time;
 * everything follows from the seed.
 */
final class MoveHistory {
    private final MoveWorld world;
    private final MoveOracle oracle;
    private final SimulatedTable table;
    private final Map<Leg, Task> tasks = new EnumMap<>(Leg.class);
    private final Map<Leg, SimulatedLeader> leaders = new EnumMap<>(Leg.class);
    private final List<SimulatedMover> zombies = new ArrayList<>();
    private final Deque<Supplier<String>> log = new ArrayDeque<>();
    // what the status has
    private final Map<Leg, MovePhase> stored = new EnumMap<>(Map.of(Leg.THERE, MovePhase.PENDING));
    private final Map<Leg, Boolean> pointOfNoReturn = new EnumMap<>(Map.of(Leg.THERE, false, Leg.BACK, false));
    private boolean differed;
    private final SimulatedPerson person;
    private final SimulatedAccidents accidents;
    private final SimulatedWindows windows;
    private Leg atWork = Leg.THERE;
    private long now = 1_000_000;

    MoveHistory(long seed) {
        SortedSet<Scope> scopes = Scope.buckets(3, 7, 11, 12);
        world = new MoveWorld(seed, scopes);
        table = new SimulatedTable(world, now);
        oracle = new MoveOracle(world, table);
        person = new SimulatedPerson(world, this::say);
        windows = new SimulatedWindows(seed);
        int group = 1 + world.random.nextInt(3);
        Duration soak = world.random.nextBoolean() ? Duration.ofSeconds(100) : Duration.ZERO;
        Duration handover = Duration.ofSeconds(10);
        for (Leg leg : Leg.values()) {
            boolean there = leg == Leg.THERE;
            tasks.put(
                    leg,
                    new Task(
                            there ? MoveWorld.MOVE : MoveWorld.REVERSAL,
                            there ? MoveWorld.REVERSAL : MoveWorld.MOVE,
                            leg,
                            there ? MoveWorld.SOURCE : MoveWorld.TARGET,
                            there ? MoveWorld.TARGET : MoveWorld.SOURCE,
                            scopes,
                            group,
                            handover,
                            soak));
        }
        accidents = new SimulatedAccidents(world, table, tasks, this::say, this::anotherLeader);
        newLeader();
    }

    MovePhase stored() {
        return stored.get(Leg.THERE);
    }

    /** A reversal was begun, whatever came of it. */
    boolean turned() {
        return stored.containsKey(Leg.BACK);
    }

    /** Both sides differed and could not be compared any more, so a person has let the move go as it was. */
    boolean removed() {
        return person.hasRemovedIt();
    }

    /** A bucket was brought to the target although its source took no writes. */
    boolean resynced() {
        return !world.resynced.isEmpty();
    }

    /** A failover has given a bucket a second owner. */
    boolean hadTwoOwners() {
        return !world.lostFences.isEmpty();
    }

    String story() {
        return log.stream().map(Supplier::get).collect(Collectors.joining("\n"));
    }

    /** A stretch of time with faults, then calm until the move has ended; false when it does not. */
    boolean run() {
        for (int pass = 0; pass < 250 && !stored().terminal(); pass++) {
            disturb();
            pass();
        }
        world.calm = true;
        world.sourceReadable = true;
        world.targetReadable = true;
        world.sourceTakesWrites = true;
        for (int pass = 0; pass < 1_200 && !stored().terminal() && !removed(); pass++) {
            pass();
        }
        return stored().terminal() || removed();
    }

    private void disturb() {
        world.sourceReadable = world.random.nextInt(100) >= 3;
        world.targetReadable = world.random.nextInt(100) >= 3;
        accidents.ofWriting();
        if (world.chance(3)) {
            person.changesHisMind(pointOfNoReturn.get(Leg.THERE));
        }
        accidents.ofRows(cleaning(), leaders.get(Leg.THERE).mover, leaders.get(Leg.BACK).mover);
        if (world.chance(2)) {
            anotherLeader();
        }
        accidents.ofFailovers(turned() ? world.back : world.there);
    }

    private boolean cleaning() {
        boolean compared = leaders.get(Leg.BACK).mover.view().stage() == MoveObservation.Stage.COMPARED;
        return compared || pointOfNoReturn.get(Leg.THERE) || turned();
    }

    private void anotherLeader() {
        leaders.values().forEach(leader -> zombies.add(leader.mover));
        newLeader();
        say(() -> "a new leader; the old movers are frozen");
    }

    private void newLeader() {
        for (Leg leg : Leg.values()) {
            SimulatedMover mover = newMover(leg);
            mover.failedDrains = leaders.containsKey(leg) ? leaders.get(leg).mover.failedDrains : 0;
            leaders.put(leg, new SimulatedLeader(table, tasks.get(leg), mover, now));
        }
    }

    private SimulatedMover newMover(Leg leg) {
        return new SimulatedMover(
                world,
                leg == Leg.THERE ? world.there : world.back,
                tasks.get(leg).scopes());
    }

    private void pass() {
        boolean back = turned() && !stored.get(Leg.BACK).terminal();
        Leg leg = back ? Leg.BACK : Leg.THERE;
        if (leg != atWork) {
            leaders.values().forEach(SimulatedLeader::turn);
            atWork = leg;
        }
        leaders.values().forEach(leader -> leader.at(now));
        MoveObservation seen = observe(leg);
        MoveDecision decision = MovePlanner.plan(seen);
        say(() -> leg + " " + seen.stored() + " -> " + words(decision) + " "
                + seen.mover().stage() + " " + seen.wayBack().mover().stage());
        oracle.check(seen, decision);
        store(leg, decision);
        differed = tellsDifference(seen, decision);
        Optional<MoveDecision.Act> step = switch (decision) {
            case MoveDecision.Act act -> Optional.of(act);
            case MoveDecision.Aside aside -> aside.step();
            case MoveDecision.Wait wait -> Optional.empty();
            case MoveDecision.Done done -> Optional.empty();
        };
        if (step.isPresent() && !world.chance(1)) {
            act(leg, step.get());
        }
        if (world.calm && decision instanceof MoveDecision.Wait wait) {
            person.doesWhatIsAsked(wait, pointOfNoReturn.get(Leg.THERE));
        }
        advance(decision);
    }

    private void store(Leg leg, MoveDecision decision) {
        MovePhase phase = decision.phase();
        stored.put(leg, phase);
        pointOfNoReturn.merge(leg, phase == MovePhase.CLEANING_UP, Boolean::logicalOr);
        if (leg == Leg.BACK) {
            boolean still = phase == MovePhase.BLOCKED || phase == MovePhase.PAUSED;
            MovePhase shown = still ? phase : MovePhase.REVERSING;
            if (MoveStateMachine.transition(stored(), shown) == MoveStateMachine.Transition.FORBIDDEN) {
                throw new AssertionError("forbidden: " + stored() + " to " + shown);
            }
            stored.put(Leg.THERE, shown);
        }
    }

    /** As the condition Reversible says it: for good when a reversal has found it, else until both sides are found equal. */
    private boolean tellsDifference(MoveObservation seen, MoveDecision decision) {
        boolean silent =
                decision instanceof MoveDecision.Aside aside && aside.shown().isEmpty();
        if (silent) {
            return differed;
        }
        if (seen.task().leg() == Leg.THERE) {
            return seen.wayBack().isKnownToDiffer() && !isAllAtHome(seen);
        }
        boolean found = seen.mover()
                .fault()
                .or(seen.mover()::retried)
                .filter(fault -> fault.kind() == MoveFault.Kind.DIVERGED)
                .isPresent();
        return found || differed && seen.mover().stage() != MoveObservation.Stage.VERIFIED;
    }

    private static boolean isAllAtHome(MoveObservation seen) {
        return seen.truth()
                .filter(truth -> seen.task().scopes().stream()
                        .allMatch(scope ->
                                MoveWorld.owns(truth.source(), scope) && !MoveWorld.owns(truth.target(), scope)))
                .isPresent();
    }

    private void act(Leg leg, MoveDecision.Act act) {
        SimulatedLeader leader = leaders.get(leg);
        Task task = tasks.get(leg);
        RoutingTable old = table.now();
        switch (act.step()) {
            case ANNOUNCE -> write(leader, act, TableEdits.announce(old, groups(leader, act.group()), task.to()));
            case PUBLISH_TO_WORKERS ->
                write(leader, act, TableEdits.publishToWorkers(old, onTarget(leader, act.group()), task.to()));
            case PUBLISH_TO_WEB ->
                write(leader, act, TableEdits.publishToWeb(old, onTarget(leader, act.group()), task.to()));
            case FOLD -> write(leader, act, TableEdits.fold(old, onTarget(leader, act.group()), task.to()));
            case WITHDRAW ->
                write(leader, act, TableEdits.withdraw(old, epochs(seen(leader).source(), act.group()), task.from()));
            case TURN_BACK -> stored.putIfAbsent(Leg.BACK, MovePhase.PENDING);
            case FOLLOW -> leaders.get(Leg.BACK).mover.begin(MoveStep.FOLLOW, act.group());
            case COMPARE -> leaders.get(Leg.BACK).mover.begin(MoveStep.VERIFY, act.group());
            case DISMISS -> replacing(Leg.BACK).begin(MoveStep.ABORT, act.group());
            case ABORT, DEMOTE -> replacing(leg).begin(act.step(), act.group());
            default -> leader.mover.begin(act.step(), act.group());
        }
    }

    private SimulatedMover replacing(Leg leg) {
        SimulatedLeader leader = leaders.get(leg);
        if (leader.mover.view().running().isEmpty()) {
            return leader.mover;
        }
        zombies.add(leader.mover);
        SimulatedMover fresh = newMover(leg);
        leaders.put(leg, leader.with(fresh));
        fresh.now = now;
        return fresh;
    }

    private void write(SimulatedLeader leader, MoveDecision.Act act, RoutingTable edited) {
        if (table.write(edited)) {
            leader.wrote(act.step());
        }
    }

    private void advance(MoveDecision decision) {
        boolean idle = decision instanceof MoveDecision.Wait
                && leaders.values().stream()
                        .allMatch(leader -> leader.mover.view().running().isEmpty());
        now += idle ? 1_000 + world.random.nextInt(world.calm ? 4_000 : 2_000) : 50 + world.random.nextInt(300);
        for (SimulatedLeader leader : leaders.values()) {
            leader.at(now);
            leader.mover.tick();
        }
        for (SimulatedMover zombie : zombies) {
            if (world.random.nextInt(4) == 0) {
                zombie.now = now;
                zombie.tick();
            }
        }
        if (world.calm) {
            zombies.clear();
        }
        table.tick(now);
    }

    private MoveObservation observe(Leg leg) {
        SimulatedLeader leader = leaders.get(leg);
        SimulatedLeader.Seen seen = leader.look();
        return new MoveObservation(
                tasks.get(leg),
                stored.get(leg),
                leg == Leg.THERE ? person.wants() : person.wantsOfTheWayBack(),
                pointOfNoReturn.get(leg),
                new Admission(Optional.empty(), List.of(), List.of(), List.of(), windows.at(now)),
                leader.mover.truth(),
                leader.mover.view(),
                leg == Leg.BACK ? WayBack.NONE : wayBack(leaders.get(Leg.BACK).mover),
                seen.table(),
                seen.acks(),
                Optional.empty(),
                seen.foldedFor(),
                seen.drain(),
                Instant.ofEpochMilli(now));
    }

    private WayBack wayBack(SimulatedMover mover) {
        return new WayBack(mover.view(), outcome(), differed, mover.comparedAge());
    }

    private WayBack.Outcome outcome() {
        if (!turned() || !stored.get(Leg.BACK).terminal()) {
            return WayBack.Outcome.OPEN;
        }
        return stored.get(Leg.BACK) == MovePhase.SUCCEEDED
                ? WayBack.Outcome.TAKEN_BACK
                : WayBack.Outcome.DECIDED_AGAINST;
    }

    /** What the decision was made on; the world may have changed since. */
    private static MoveObservation.Truth seen(SimulatedLeader leader) {
        return leader.mover.truth().orElseThrow();
    }

    private List<SortedMap<Scope, Long>> groups(SimulatedLeader leader, SortedSet<Scope> among) {
        List<SortedMap<Scope, Long>> groups = new ArrayList<>();
        for (SortedSet<Scope> group : tasks.get(Leg.THERE).groups()) {
            SortedSet<Scope> part = new TreeSet<>(group);
            part.retainAll(among);
            SortedMap<Scope, Long> epochs = epochs(seen(leader).source(), part);
            epochs.replaceAll((bucket, epoch) -> epoch + 1);
            groups.add(epochs);
        }
        return groups;
    }

    private static SortedMap<Scope, Long> onTarget(SimulatedLeader leader, SortedSet<Scope> group) {
        return epochs(seen(leader).target(), group);
    }

    private static SortedMap<Scope, Long> epochs(SortedMap<Scope, FenceRow> rows, SortedSet<Scope> group) {
        SortedMap<Scope, Long> epochs = new TreeMap<>();
        group.forEach(scope -> epochs.put(scope, rows.get(scope).epoch()));
        return epochs;
    }

    private static String words(MoveDecision decision) {
        return switch (decision) {
            case MoveDecision.Act act -> act.phase() + ": " + act.step() + " " + act.group() + ", " + act.reason();
            case MoveDecision.Wait wait -> wait.phase() + " waits: " + wait.reason() + "; for " + wait.awaited();
            case MoveDecision.Aside aside ->
                aside.phase() + " beside: " + aside.step().map(MoveDecision.Act::step) + ", " + aside.reason();
            case MoveDecision.Done done -> done.phase() + ": " + done.reason();
        };
    }

    /** The last lines are kept; they become text only when somebody asks. */
    private void say(Supplier<String> what) {
        long at = now;
        log.add(() -> at + " " + what.get());
        if (log.size() > 60) {
            log.remove();
        }
    }
}
