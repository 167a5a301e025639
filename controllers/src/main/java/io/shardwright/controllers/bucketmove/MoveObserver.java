package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.access.ShardAccesses;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.controllers.shardcluster.ClusterHolds;
import io.shardwright.crds.Names;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.planning.arbiter.ClusterRules;
import io.shardwright.planning.arbiter.MaintenanceArbiter;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Admission;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.RecoveryAction;
import io.shardwright.planning.moves.Standing;
import io.shardwright.planning.moves.WayBack;
import io.shardwright.planning.windows.Hours;
import io.shardwright.routing.Scope;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/** Reads caches, the mover's report, the published table and what routers said; writes nothing. */
final class MoveObserver {
    private final ShardAccesses accesses;
    private final TablePublisher tables;
    private final MoveMemories memories;
    private final MoveGates gates;
    private final Clock clock;
    private final LongSupplier nanos;

    MoveObserver(
            ShardAccesses accesses,
            TablePublisher tables,
            MoveMemories memories,
            MoveGates gates,
            Clock clock,
            LongSupplier nanos) {
        this.accesses = accesses;
        this.tables = tables;
        this.memories = memories;
        this.gates = gates;
        this.clock = clock;
        this.nanos = nanos;
    }

    /**
     * What surrounds a move in the caches.
     *
     * @param hours whether its policy lets forward steps begin now
     * @param peers all moves of the cluster, this one included
     */
    record Surroundings(Optional<ShardCluster> cluster, ShardPolicySpec policy, Hours hours, List<BucketMove> peers) {}

    SeenMove observe(BucketMove move, Surroundings around) {
        Leg leg = MovePhases.reverses(move) ? Leg.BACK : Leg.THERE;
        ResourceID cluster = new ResourceID(
                move.getSpec().clusterRef().name(), move.getMetadata().getNamespace());
        Optional<PublishedTable> table = tables.current(cluster);
        SortedSet<Scope> scopes =
                MoveScopes.of(move, around.cluster(), table.map(PublishedTable::table), around.policy());
        Access access = access(move, scopes, around, table);
        MoveMemories.Memory memory = memories.of(move);
        memory.turn().note(leg, nanos.getAsLong());
        if (leg == Leg.BACK) {
            memory.there().cleanupGate().shut();
        }
        Optional<MoverSeat.View> mover = memory.of(leg).seat().view();
        MoveObservation.Task task = LegTasks.forPlanner(move, scopes, leg, around.policy());
        Optional<HandoverClock.Reading> reading =
                table.map(published -> memory.of(leg).clock().read(published.table(), task.scopes(), task.to()));
        Instant now = clock.instant();
        Duration foldedFor = reading.map(HandoverClock.Reading::foldedFor).orElse(Duration.ZERO);
        Optional<Truth> truth = mover.filter(view -> memory.turn().covers(view.truthRead()))
                .flatMap(view -> MoverViews.truth(view, nanos.getAsLong()));
        MoveObservation observation = new MoveObservation(
                LegTasks.asPromised(task, move, foldedFor, now),
                stored(move, leg),
                LegIntents.of(move, leg, decided(task, truth)),
                pointOfNoReturn(move, leg),
                admission(move, access.refusal(), around, table),
                truth,
                seen(mover),
                leg == Leg.THERE ? wayBack(move, memory) : WayBack.NONE,
                reading.map(HandoverClock.Reading::view).orElseGet(MoveObserver::noTable),
                gates.acks(around.cluster(), table, reading, memory.of(leg).cleanupGate()),
                forceReclaim(move),
                foldedFor,
                mover.map(view -> MoverViews.drain(view, nanos.getAsLong())).orElse(MoveObservation.Drain.NONE),
                now);
        return new SeenMove(
                move,
                around.cluster(),
                access.refusal(),
                access.task(),
                mover,
                memory.attempts(),
                table,
                reading,
                observation);
    }

    private static MovePhase stored(BucketMove move, Leg leg) {
        return leg == Leg.THERE
                ? MovePhases.of(move)
                : MovePhases.ofReversal(move).orElseThrow();
    }

    static Optional<String> forceReclaim(BucketMove move) {
        return Optional.ofNullable(move.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.FORCE_RECLAIM_ANNOTATION));
    }

    static boolean pointOfNoReturn(BucketMove move, Leg leg) {
        BucketMoveStatus status = move.getStatus();
        return status != null
                && Boolean.TRUE.equals(
                        leg == Leg.THERE
                                ? status.pointOfNoReturn()
                                : status.reversal().pointOfNoReturn());
    }

    private static boolean decided(MoveObservation.Task task, Optional<Truth> truth) {
        return truth.map(rows -> Standing.of(task, rows))
                .filter(standing -> standing.waiting().isEmpty() && !standing.any(RecoveryAction.ACTIVATE))
                .isPresent();
    }

    private MoverView seen(Optional<MoverSeat.View> mover) {
        return mover.map(view -> MoverViews.view(view, nanos.getAsLong())).orElse(MoverView.FRESH);
    }

    private WayBack wayBack(BucketMove move, MoveMemories.Memory memory) {
        WayBack.Outcome outcome = MovePhases.ofReversal(move)
                .map(phase ->
                        phase == MovePhase.SUCCEEDED ? WayBack.Outcome.TAKEN_BACK : WayBack.Outcome.DECIDED_AGAINST)
                .orElse(WayBack.Outcome.OPEN);
        Optional<MoverSeat.View> mover = memory.back().seat().view();
        return new WayBack(
                MoverViews.ofWayBack(seen(mover)),
                outcome,
                Reversibility.differed(move.getStatus()),
                mover.flatMap(view -> MoverViews.comparedAge(view, nanos.getAsLong())));
    }

    private record Access(Optional<SeenMove.Refusal> refusal, Optional<MoveTask> task) {}

    private Access access(
            BucketMove move, SortedSet<Scope> scopes, Surroundings around, Optional<PublishedTable> table) {
        Optional<SeenMove.Refusal> refusal = new MoveAdmission(move, MovePhases.of(move), scopes)
                .judge(around.cluster(), table.map(PublishedTable::table));
        if (refusal.isPresent()) {
            return new Access(refusal, Optional.empty());
        }
        ShardCluster cluster = around.cluster().orElseThrow();
        return switch (accesses.resolve(cluster)) {
            case ShardAccesses.Unreadable unreadable ->
                new Access(
                        Optional.of(new SeenMove.Refusal(
                                Reason.SECRET_UNREADABLE, unreadable.message() + MoveAdmission.lettingGo(move))),
                        Optional.empty());
            case ShardAccesses.Granted granted ->
                new Access(
                        Optional.empty(),
                        Optional.of(LegTasks.forMovers(move, scopes, cluster, around.policy(), granted.shards())));
        };
    }

    private static Admission admission(
            BucketMove move, Optional<SeenMove.Refusal> refusal, Surroundings around, Optional<PublishedTable> table) {
        if (refusal.isPresent() || around.cluster().isEmpty()) {
            return new Admission(
                    refusal.map(SeenMove.Refusal::message), List.of(), List.of(), List.of(), Optional.empty());
        }
        ShardCluster cluster = around.cluster().get();
        ClusterRules rules = new ClusterRules(
                cluster.getMetadata().getName(),
                cluster.getSpec().suspend(),
                ClusterHolds.maintenance(cluster),
                around.policy().rebalancing().maxConcurrentMoves(),
                around.hours().closed());
        var candidates = Peers.candidates(
                around.peers().stream()
                        .filter(peer -> !peer.getMetadata()
                                .getUid()
                                .equals(move.getMetadata().getUid())),
                around.cluster(),
                table.map(PublishedTable::table));
        var all = new java.util.ArrayList<>(candidates);
        all.add(Peers.candidate(move, around.cluster(), table.map(PublishedTable::table)));
        MaintenanceArbiter.Verdict verdict =
                MaintenanceArbiter.judge(rules, all).get(move.getMetadata().getName());
        return verdict == null
                ? Admission.FREE
                : new Admission(
                        Optional.empty(), verdict.start(), verdict.hold(), verdict.switching(), verdict.closed());
    }

    private static MoveObservation.TableView noTable() {
        return new MoveObservation.TableView(
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO);
    }
}
