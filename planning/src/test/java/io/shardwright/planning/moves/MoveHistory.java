package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckCount;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.acks.AckRequirement;
import io.shardwright.planning.acks.HeardAck;
import io.shardwright.planning.acks.LiveRouter;
import io.shardwright.planning.moves.MoveObservation.Acks;
import io.shardwright.planning.moves.MoveObservation.Admission;
import io.shardwright.planning.moves.MoveObservation.Drain;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.TableView;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.planning.table.TableFixture;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.TableInvariants;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One operator that drives one move through a simulated world: it observes, plans, stores, acts, and is killed now and
 * then, while an old mover goes on as a zombie. Virtual time; everything follows from the seed.
 */
final class MoveHistory {
    private static final Set<MoveStep> TOLD_FIRST = EnumSet.of(MoveStep.SWITCH, MoveStep.CLEAN_UP, MoveStep.ABORT);

    private final MoveWorld world;
    private final Task task;
    private final List<SimulatedMover> zombies = new ArrayList<>();
    private final Map<LiveRouter, long[]> routers = new java.util.LinkedHashMap<>();
    private final Deque<Supplier<String>> log = new ArrayDeque<>();
    private SimulatedMover mover;
    private RoutingTable table;
    private MovePhase stored = MovePhase.PENDING;
    private boolean pointOfNoReturn;
    private boolean abortWanted;
    private int failedDrains;
    private long now = 1_000_000;
    // what a leader remembers, lost with it
    private long changedAt;
    private long workersAt;
    private long webAt;
    private long openSince = -1;
    private final Map<String, Long> revisions = new TreeMap<>();

    MoveHistory(long seed) {
        SortedSet<Integer> buckets = new TreeSet<>(List.of(3, 7, 11, 12));
        world = new MoveWorld(seed, buckets);
        task = new Task(
                MoveWorld.MOVE,
                MoveWorld.SOURCE,
                MoveWorld.TARGET,
                buckets,
                1 + world.random.nextInt(3),
                Duration.ofSeconds(10));
        table = TableFixture.aTable(16, 1);
        for (int bucket : buckets) {
            SortedMap<Integer, Long> epoch =
                    new TreeMap<>(Map.of(bucket, world.source.get(bucket).epoch()));
            table = TableEdits.fold(table, epoch, task.from());
        }
        for (Role role : Role.values()) {
            for (int i = 0; i < 2; i++) {
                String name = "orders-" + role.wire() + "-" + i;
                routers.put(new LiveRouter(name, "uid-" + name, role, 1), new long[] {1, now, 0});
            }
        }
        newLeader();
    }

    MovePhase stored() {
        return stored;
    }

    String story() {
        return log.stream().map(Supplier::get).collect(Collectors.joining("\n"));
    }

    /** A stretch of time with faults, then calm until the move has ended; false when it does not. */
    boolean run() {
        for (int pass = 0; pass < 150 && !stored.terminal(); pass++) {
            disturb();
            pass();
        }
        world.calm = true;
        world.sourceReadable = true;
        world.targetReadable = true;
        for (int pass = 0; pass < 600 && !stored.terminal(); pass++) {
            pass();
        }
        return stored.terminal();
    }

    private void disturb() {
        world.sourceReadable = world.random.nextInt(100) >= 3;
        world.targetReadable = world.random.nextInt(100) >= 3;
        abortWanted |= world.chance(1) && world.random.nextInt(3) == 0;
        if (world.chance(2)) {
            zombies.add(mover);
            newLeader();
            say(() -> "a new leader; the old mover is frozen");
        }
        if (world.chance(1)) {
            task.buckets().stream()
                    .filter(bucket -> !table.bucketMap().get(bucket).equals(task.to()))
                    .forEach(world::targetLosesACommit);
            say(() -> "T loses a commit in a failover");
        }
    }

    private void newLeader() {
        mover = new SimulatedMover(world, task.buckets());
        mover.failedDrains = failedDrains;
        mover.lastDrainAt = now;
        changedAt = now;
        workersAt = now;
        webAt = now;
        openSince = -1;
        revisions.clear();
    }

    private void pass() {
        mover.now = now;
        MoveDecision decision = MovePlanner.plan(observe());
        check(decision);
        boolean crashesBetween = world.chance(1);
        stored = decision.phase();
        pointOfNoReturn |= stored == MovePhase.CLEANING_UP;
        Optional<MoveDecision.Act> step = switch (decision) {
            case MoveDecision.Act act -> Optional.of(act);
            case MoveDecision.Aside aside -> aside.step();
            case MoveDecision.Wait wait -> Optional.empty();
            case MoveDecision.Done done -> Optional.empty();
        };
        if (step.isPresent() && !crashesBetween) {
            act(step.get());
        }
        failedDrains = mover.failedDrains;
        advance(decision);
    }

    private void act(MoveDecision.Act act) {
        switch (act.step()) {
            case ANNOUNCE -> write(TableEdits.announce(table, groups(act.group()), task.to()));
            case PUBLISH_TO_WORKERS -> {
                write(TableEdits.publishToWorkers(table, epochs(seen().target(), act.group()), task.to()));
                workersAt = now;
            }
            case PUBLISH_TO_WEB -> {
                write(TableEdits.publishToWeb(table, epochs(seen().target(), act.group()), task.to()));
                webAt = now;
            }
            case FOLD -> write(TableEdits.fold(table, epochs(seen().target(), act.group()), task.to()));
            case WITHDRAW -> write(TableEdits.withdraw(table, epochs(seen().source(), act.group()), task.from()));
            case ABORT -> {
                if (mover.view().running().isPresent()) {
                    zombies.add(mover);
                    SimulatedMover old = mover;
                    mover = new SimulatedMover(world, task.buckets());
                    mover.failedDrains = old.failedDrains;
                }
                mover.begin(act.step(), act.group());
            }
            default -> mover.begin(act.step(), act.group());
        }
    }

    /** What the decision was made on; the world may have changed since. */
    private MoveObservation.Truth seen() {
        return mover.truth().orElseThrow();
    }

    private void write(RoutingTable edited) {
        if (edited == table || world.chance(5)) {
            return; // nothing to do, or a conflict
        }
        RoutingTable next = TableFixture.next(edited);
        var violations = TableInvariants.checkWrite(table, next);
        if (!violations.isEmpty()) {
            throw new AssertionError("the table breaks " + violations);
        }
        table = next;
        changedAt = now;
    }

    private void advance(MoveDecision decision) {
        boolean idle =
                decision instanceof MoveDecision.Wait && mover.view().running().isEmpty();
        now += idle ? 1_000 + world.random.nextInt(world.calm ? 4_000 : 2_000) : 50 + world.random.nextInt(300);
        mover.now = now;
        mover.tick();
        for (SimulatedMover zombie : zombies) {
            if (world.random.nextInt(4) == 0) {
                zombie.now = now;
                zombie.tick();
            }
        }
        if (world.calm) {
            zombies.clear();
        }
        routers.forEach((router, said) -> {
            boolean silent = now < said[2];
            if (!silent && world.chance(1)) {
                said[2] = now + 60_000;
            } else if (!silent || world.calm) {
                said[0] = world.random.nextInt(3) == 0 ? table.order().revision() : said[0];
                said[1] = now;
            }
        });
    }

    private MoveObservation observe() {
        SortedSet<Integer> announced = new TreeSet<>();
        SortedSet<Integer> workers = new TreeSet<>();
        SortedSet<Integer> web = new TreeSet<>();
        SortedSet<Integer> folded = new TreeSet<>();
        for (Handover handover : table.handovers()) {
            announced.addAll(handover.buckets().keySet());
            (handover.visibleTo().contains(Role.WORKER) ? workers : new TreeSet<Integer>())
                    .addAll(handover.buckets().keySet());
            (handover.visibleTo().contains(Role.WEB) ? web : new TreeSet<Integer>())
                    .addAll(handover.buckets().keySet());
        }
        task.buckets().stream()
                .filter(bucket -> table.bucketMap().get(bucket).equals(task.to()))
                .forEach(folded::add);
        AckGate foldedGate = gate(AckRequirement.Kind.CLEANUP, "folded " + folded, EnumSet.allOf(Role.class));
        openSince = foldedGate.open() && !folded.isEmpty() ? (openSince < 0 ? now : openSince) : -1;
        return new MoveObservation(
                task,
                stored,
                abortWanted,
                pointOfNoReturn,
                Admission.FREE,
                mover.truth(),
                mover.view(),
                new TableView(announced, workers, web, folded, since(changedAt), since(workersAt), since(webAt)),
                new Acks(
                        gate(AckRequirement.Kind.ANNOUNCEMENT, "announced " + announced, EnumSet.allOf(Role.class)),
                        gate(AckRequirement.Kind.ANNOUNCEMENT, "workers " + workers, EnumSet.of(Role.WORKER)),
                        gate(AckRequirement.Kind.ANNOUNCEMENT, "web " + web, EnumSet.of(Role.WEB)),
                        foldedGate,
                        openSince < 0 ? Duration.ZERO : since(openSince)),
                new Drain(mover.failedDrains, since(mover.lastDrainAt), List.of("pid 4711")),
                Instant.ofEpochMilli(now));
    }

    /** The revision in which this leader first saw the content; acknowledgements of it stay good. */
    private AckGate gate(AckRequirement.Kind kind, String content, Set<Role> roles) {
        long revision = revisions.computeIfAbsent(content, seen -> table.order().revision());
        List<HeardAck> heard = new ArrayList<>();
        routers.forEach((router, said) -> heard.add(new HeardAck(
                new Acknowledgement(
                        router.instance(),
                        "boot",
                        router.name(),
                        router.role(),
                        1,
                        "0",
                        1,
                        said[0],
                        1,
                        said[0],
                        "d",
                        null,
                        "sim"),
                since(said[1]))));
        return AckCount.count(
                new AckRequirement(kind, 1, revision, roles, Set.of("d")), List.copyOf(routers.keySet()), heard);
    }

    private Duration since(long then) {
        return Duration.ofMillis(now - then);
    }

    private List<SortedMap<Integer, Long>> groups(SortedSet<Integer> among) {
        List<SortedMap<Integer, Long>> groups = new ArrayList<>();
        for (SortedSet<Integer> group : task.groups()) {
            SortedSet<Integer> part = new TreeSet<>(group);
            part.retainAll(among);
            SortedMap<Integer, Long> epochs = epochs(seen().source(), part);
            epochs.replaceAll((bucket, epoch) -> epoch + 1);
            groups.add(epochs);
        }
        return groups;
    }

    private static SortedMap<Integer, Long> epochs(SortedMap<Integer, FenceRow> rows, SortedSet<Integer> group) {
        SortedMap<Integer, Long> epochs = new TreeMap<>();
        group.forEach(bucket -> epochs.put(bucket, rows.get(bucket).epoch()));
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

    /** What must hold in every pass, whatever has happened before. */
    private void check(MoveDecision decision) {
        MovePhase before = stored;
        Stage stage = mover.view().stage();
        say(() -> before + " -> " + words(decision) + " " + stage);
        if (MoveStateMachine.transition(stored, decision.phase()) == MoveStateMachine.Transition.FORBIDDEN) {
            throw new AssertionError("forbidden: " + stored + " to " + decision.phase());
        }
        if (decision instanceof MoveDecision.Aside aside
                && aside.step()
                        .map(MoveDecision.Act::step)
                        .filter(TOLD_FIRST::contains)
                        .isPresent()) {
            throw new AssertionError("a step that its phase must tell first was taken beside " + aside.phase());
        }
        if (decision instanceof MoveDecision.Wait wait
                && (wait.reason().isBlank() || wait.awaited().isBlank())) {
            throw new AssertionError("a wait without a reason");
        }
        for (int bucket : task.buckets()) {
            boolean sourceOwns = world.owns(world.source, bucket);
            boolean targetOwns = world.owns(world.target, bucket);
            if (sourceOwns && targetOwns) {
                throw new AssertionError("two owners of " + bucket);
            }
            if (!targetOwns && !world.rowsOnSource.contains(bucket)) {
                throw new AssertionError("the rows of " + bucket + " are gone and the target is not the owner");
            }
            if (decision instanceof MoveDecision.Done && decision.phase() == MovePhase.SUCCEEDED) {
                ended(bucket, targetOwns ? task.to() : task.from());
            } else if (decision instanceof MoveDecision.Done) {
                ended(bucket, task.from());
            }
        }
    }

    private void ended(int bucket, String owner) {
        boolean target = owner.equals(task.to());
        boolean owns = world.owns(target ? world.target : world.source, bucket);
        boolean clean = target ? !world.rowsOnSource.contains(bucket) : !world.rowsOnTarget.contains(bucket);
        boolean routed =
                table.bucketMap().get(bucket).equals(owner) && table.handovers().isEmpty();
        if (!owns || !clean || !routed) {
            throw new AssertionError("ended, but bucket " + bucket + " of " + owner + ": owned " + owns + ", clean "
                    + clean + ", routed " + routed);
        }
    }
}
