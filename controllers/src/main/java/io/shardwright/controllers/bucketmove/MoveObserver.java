package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.access.ClusterSchemas;
import io.shardwright.controllers.access.ShardAccesses;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.controllers.shardcluster.ClusterHolds;
import io.shardwright.crds.Durations;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.planning.arbiter.ClusterRules;
import io.shardwright.planning.arbiter.MaintenanceArbiter;
import io.shardwright.planning.moves.MoveObservation;
import io.shardwright.planning.moves.MoveObservation.Admission;
import io.shardwright.planning.moves.MovePhase;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
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
     * @param peers all moves of the cluster, this one included
     */
    record Surroundings(Optional<ShardCluster> cluster, ShardPolicySpec policy, List<BucketMove> peers) {}

    SeenMove observe(BucketMove move, Surroundings around) {
        UUID moveId = UUID.fromString(move.getMetadata().getUid());
        MovePhase stored = MovePhases.of(move);
        ResourceID cluster = new ResourceID(
                move.getSpec().clusterRef().name(), move.getMetadata().getNamespace());
        Optional<PublishedTable> table = tables.current(cluster);
        Optional<SeenMove.Refusal> refusal =
                new MoveAdmission(move, stored).judge(around.cluster(), table.map(PublishedTable::table));
        Access access = refusal.isPresent()
                ? new Access(refusal, Optional.empty())
                : access(move, moveId, around.cluster().orElseThrow(), around.policy());
        MoveMemories.Memory memory = memories.of(moveId);
        Optional<MoverSeat.View> mover = memory.seat().view();
        MoveObservation.Task task = task(move, moveId, around.policy());
        Optional<HandoverClock.Reading> reading =
                table.map(published -> memory.clock().read(published.table(), task.buckets(), task.to()));
        MoveObservation observation = new MoveObservation(
                task,
                stored,
                move.getSpec().intent() == BucketMoveSpec.Intent.ABORT || move.isMarkedForDeletion(),
                move.getStatus() != null && Boolean.TRUE.equals(move.getStatus().pointOfNoReturn()),
                admission(move, access.refusal(), around, table),
                mover.flatMap(view -> MoverViews.truth(view, nanos.getAsLong())),
                mover.map(view -> MoverViews.view(view, nanos.getAsLong())).orElse(MoveObservation.MoverView.FRESH),
                reading.map(HandoverClock.Reading::view).orElseGet(MoveObserver::noTable),
                gates.acks(around.cluster(), table, reading, memory.cleanupGate()),
                mover.map(view -> MoverViews.drain(view, nanos.getAsLong())).orElse(MoveObservation.Drain.NONE),
                clock.instant());
        return new SeenMove(
                move, around.cluster(), access.refusal(), access.task(), mover, table, reading, observation);
    }

    private record Access(Optional<SeenMove.Refusal> refusal, Optional<MoveTask> task) {}

    private Access access(BucketMove move, UUID moveId, ShardCluster cluster, ShardPolicySpec policy) {
        return switch (accesses.resolve(cluster)) {
            case ShardAccesses.Unreadable unreadable ->
                new Access(
                        Optional.of(new SeenMove.Refusal(
                                Reason.SECRET_UNREADABLE, unreadable.message() + MoveAdmission.lettingGo(move))),
                        Optional.empty());
            case ShardAccesses.Granted granted ->
                new Access(Optional.empty(), Optional.of(moverTask(move, moveId, cluster, policy, granted.shards())));
        };
    }

    private static MoveTask moverTask(
            BucketMove move, UUID moveId, ShardCluster cluster, ShardPolicySpec policy, List<ShardAccess> shards) {
        return new MoveTask(
                moveId,
                cluster.getMetadata().getName(),
                access(shards, move.getSpec().from()),
                access(shards, move.getSpec().to()),
                ClusterSchemas.schema(cluster.getSpec()),
                new TreeSet<>(move.getSpec().buckets()),
                limits(move.getSpec(), policy.rebalancing()));
    }

    private static ShardAccess access(List<ShardAccess> shards, String name) {
        return shards.stream()
                .filter(shard -> shard.shard().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static MoveTask.Limits limits(BucketMoveSpec spec, Rebalancing policy) {
        String budget = spec.writeHoldBudget() == null ? policy.writeHoldBudget() : spec.writeHoldBudget();
        return new MoveTask.Limits(
                Durations.parse(budget),
                Durations.parse(policy.drainTimeout()),
                Durations.parse(policy.pauseMax()),
                MoveTask.Limits.defaults().lagGateBytes(),
                policy.switchGroup(),
                policy.asyncStandby() == Rebalancing.AsyncStandby.ACCEPT);
    }

    private static MoveObservation.Task task(BucketMove move, UUID moveId, ShardPolicySpec policy) {
        return new MoveObservation.Task(
                moveId,
                move.getSpec().from(),
                move.getSpec().to(),
                new TreeSet<>(move.getSpec().buckets()),
                policy.rebalancing().switchGroup(),
                Durations.parse(policy.handoverTimeout()));
    }

    private static Admission admission(
            BucketMove move, Optional<SeenMove.Refusal> refusal, Surroundings around, Optional<PublishedTable> table) {
        if (refusal.isPresent() || around.cluster().isEmpty()) {
            return new Admission(refusal.map(SeenMove.Refusal::message), List.of(), List.of(), List.of());
        }
        ShardCluster cluster = around.cluster().get();
        ClusterRules rules = new ClusterRules(
                cluster.getMetadata().getName(),
                cluster.getSpec().suspend(),
                ClusterHolds.maintenance(cluster),
                around.policy().rebalancing().maxConcurrentMoves());
        var candidates = Peers.candidates(
                around.peers().stream()
                        .filter(peer -> !peer.getMetadata()
                                .getUid()
                                .equals(move.getMetadata().getUid())),
                table.map(PublishedTable::table));
        var all = new java.util.ArrayList<>(candidates);
        all.add(Peers.candidate(move, table.map(PublishedTable::table)));
        MaintenanceArbiter.Verdict verdict =
                MaintenanceArbiter.judge(rules, all).get(move.getMetadata().getName());
        return verdict == null
                ? Admission.FREE
                : new Admission(Optional.empty(), verdict.start(), verdict.hold(), verdict.switching());
    }

    private static MoveObservation.TableView noTable() {
        return new MoveObservation.TableView(
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                java.time.Duration.ZERO,
                java.time.Duration.ZERO,
                java.time.Duration.ZERO);
    }
}
