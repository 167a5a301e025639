package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.routing.Publication;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Movers;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.planning.moves.Standing;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Takes one step of a move and never decides. Commands of the mover return at once and their end rings the bell; a table is
 * published in milliseconds. Every step may be repeated.
 */
final class MoveExecutor {
    private static final Duration SHORTLY = Duration.ofSeconds(1);

    private final Movers movers;
    private final TablePublisher tables;
    private final MoveMemories memories;
    private final MoveGates gates;
    private final StepBoundary boundary;
    private final Consumer<ResourceID> bell;

    /** @param bell rung with the name of a move whose mover has news */
    MoveExecutor(
            Movers movers,
            TablePublisher tables,
            MoveMemories memories,
            MoveGates gates,
            StepBoundary boundary,
            Consumer<ResourceID> bell) {
        this.movers = movers;
        this.tables = tables;
        this.memories = memories;
        this.gates = gates;
        this.boundary = boundary;
        this.bell = bell;
    }

    /** The mover of one leg, and what it is to move. */
    private record Hand(MoverSeat seat, Optional<MoveTask> task) {}

    private Hand hand(Leg leg, SeenMove seen) {
        return new Hand(
                memories.of(seen.move()).of(leg).seat(),
                leg == Leg.THERE ? seen.task() : seen.task().map(MoveTask::reversal));
    }

    /** @return when the step must be asked for again, because it could not be taken now; empty = it was taken */
    Optional<Duration> execute(MoveDecision.Act act, SeenMove seen) {
        Hand hand = hand(seen.leg(), seen);
        return switch (act.step()) {
            case OBSERVE -> observe(hand, seen);
            case VALIDATE, PREPARE, VERIFY, GATE, RETIRE, RESYNC -> command(hand, act.step(), seen);
            case FOLLOW, COMPARE -> command(hand(Leg.BACK, seen), act.step(), seen);
            case SWITCH -> begun(act.step(), seen, () -> hand.seat().beginSwitch(act.group()));
            case ABORT, DEMOTE -> replace(hand, act.step(), seen);
            case RECLAIM -> reclaim(hand, act.group(), seen);
            case DISMISS -> replace(hand(Leg.BACK, seen), act.step(), seen);
            case TURN_BACK -> turnBack(seen);
            case CLEAN_UP -> cleanUp(hand, seen);
            case ANNOUNCE -> publish(act, seen, table -> announce(table, act.group(), seen));
            case PUBLISH_TO_WORKERS ->
                paced(act, seen, table -> TableEdits.publishToWorkers(table, onTarget(act.group(), seen), to(seen)));
            case PUBLISH_TO_WEB ->
                publish(act, seen, table -> TableEdits.publishToWeb(table, onTarget(act.group(), seen), to(seen)));
            case FOLD -> paced(act, seen, table -> TableEdits.fold(table, onTarget(act.group(), seen), to(seen)));
            case WITHDRAW ->
                publish(
                        act,
                        seen,
                        table -> TableEdits.withdraw(
                                table,
                                onSource(act.group(), seen),
                                seen.observation().task().from()));
        };
    }

    private Optional<Duration> observe(Hand hand, SeenMove seen) {
        boolean opened = hand.seat().isOpen();
        open(hand, seen);
        return opened ? command(hand, MoveStep.OBSERVE, seen) : Optional.empty();
    }

    private void open(Hand hand, SeenMove seen) {
        ResourceID move = ResourceID.fromResource(seen.move());
        hand.seat().open(movers, hand.task().orElseThrow(), () -> bell.accept(move));
    }

    private Optional<Duration> command(Hand hand, MoveStep step, SeenMove seen) {
        Mover.Command command = MoverViews.command(step);
        open(hand, seen);
        return begun(step, seen, () -> hand.seat().begin(command));
    }

    private interface Begin {
        boolean begin();
    }

    private Optional<Duration> begun(MoveStep step, SeenMove seen, Begin begin) {
        boundary.before(step, seen.observation().task().moveId());
        boolean begun = begin.begin();
        boundary.done(step, seen.observation().task().moveId());
        return begun ? Optional.empty() : Optional.of(SHORTLY);
    }

    /** What is more urgent replaces what the mover does, but for reading: a mover that reads is free in a moment. */
    private Optional<Duration> replace(Hand hand, MoveStep step, SeenMove seen) {
        boolean works = hand.seat()
                .view()
                .flatMap(view -> MoverViews.running(view.report()))
                .filter(running -> running != MoveStep.OBSERVE && running != MoverViews.step(MoverViews.command(step)))
                .isPresent();
        if (works) {
            hand.seat().close();
        }
        return command(hand, step, seen);
    }

    private Optional<Duration> reclaim(Hand hand, SortedSet<Scope> scopes, SeenMove seen) {
        open(hand, seen);
        return begun(MoveStep.RECLAIM, seen, () -> hand.seat().beginReclaim(scopes));
    }

    /** The status says by now that the reversal has begun; the next pass is about it. */
    private Optional<Duration> turnBack(SeenMove seen) {
        boundary.before(MoveStep.TURN_BACK, seen.observation().task().moveId());
        bell.accept(ResourceID.fromResource(seen.move()));
        boundary.done(MoveStep.TURN_BACK, seen.observation().task().moveId());
        return Optional.empty();
    }

    /**
     * Deletion cannot be taken back, so the pods are listed anew from the API server; the planner has asked for a fresh read
     * of both fences, and the mover checks them again in each batch.
     */
    private Optional<Duration> cleanUp(Hand hand, SeenMove seen) {
        MoveGates.Cleanup now = gates.cleanupNow(seen);
        boolean deletesRows =
                !Standing.of(seen.observation().task(), truth(seen)).moved().isEmpty();
        if (deletesRows && !now.gate().open()) {
            return Optional.of(SHORTLY);
        }
        open(hand, seen);
        return begun(MoveStep.CLEAN_UP, seen, () -> hand.seat().beginCleanUp(now.liveRouters()));
    }

    private Optional<Duration> publish(MoveDecision.Act act, SeenMove seen, UnaryOperator<RoutingTable> edit) {
        boundary.before(act.step(), seen.observation().task().moveId());
        tables.publish(cluster(seen), existing(edit));
        boundary.done(act.step(), seen.observation().task().moveId());
        return Optional.empty();
    }

    private Optional<Duration> paced(MoveDecision.Act act, SeenMove seen, UnaryOperator<RoutingTable> edit) {
        boundary.before(act.step(), seen.observation().task().moveId());
        Publication result = tables.publishPaced(cluster(seen), existing(edit));
        boundary.done(act.step(), seen.observation().task().moveId());
        return result instanceof Publication.Deferred deferred ? Optional.of(deferred.delay()) : Optional.empty();
    }

    /** A move edits a table; the first one is written from the fences of all shards, never from one move. */
    private static UnaryOperator<RoutingTable> existing(UnaryOperator<RoutingTable> edit) {
        return table -> {
            if (table == null) {
                throw new IllegalStateException("the routing table is gone; it is made again from the fences first");
            }
            return edit.apply(table);
        };
    }

    private static RoutingTable announce(RoutingTable table, SortedSet<Scope> wanted, SeenMove seen) {
        List<SortedMap<Scope, Long>> groups = new ArrayList<>();
        for (SortedSet<Scope> group : seen.observation().task().groups()) {
            SortedMap<Scope, Long> epochs = new TreeMap<>();
            rows(group, wanted, truth(seen).source()).forEach((scope, row) -> epochs.put(scope, row.epoch() + 1));
            if (!epochs.isEmpty()) {
                groups.add(epochs);
            }
        }
        return TableEdits.announce(table, groups, to(seen));
    }

    private static SortedMap<Scope, Long> onTarget(SortedSet<Scope> group, SeenMove seen) {
        return epochs(rows(group, group, truth(seen).target()));
    }

    private static SortedMap<Scope, Long> onSource(SortedSet<Scope> group, SeenMove seen) {
        return epochs(rows(group, group, truth(seen).source()));
    }

    private static SortedMap<Scope, FenceRow> rows(
            SortedSet<Scope> group, SortedSet<Scope> wanted, SortedMap<Scope, FenceRow> truth) {
        SortedMap<Scope, FenceRow> rows = new TreeMap<>(truth);
        rows.keySet().retainAll(group);
        rows.keySet().retainAll(wanted);
        return rows;
    }

    private static SortedMap<Scope, Long> epochs(SortedMap<Scope, FenceRow> rows) {
        SortedMap<Scope, Long> epochs = new TreeMap<>();
        rows.forEach((scope, row) -> epochs.put(scope, row.epoch()));
        return epochs;
    }

    private static Truth truth(SeenMove seen) {
        return seen.observation().truth().orElseThrow();
    }

    private static String to(SeenMove seen) {
        return seen.observation().task().to();
    }

    private static ResourceID cluster(SeenMove seen) {
        return new ResourceID(
                seen.move().getSpec().clusterRef().name(),
                seen.move().getMetadata().getNamespace());
    }
}
