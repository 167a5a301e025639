package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.access.ClusterSchemas;
import io.shardwright.controllers.access.ShardAccesses;
import io.shardwright.controllers.routers.RouterGates;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.Shards;
import io.shardwright.meaning.Moves;
import io.shardwright.meaning.Policies;
import io.shardwright.meaning.Tables;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.acks.AckRequirement;
import io.shardwright.planning.table.LostHistory;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads caches, the last look at the shards and what routers said; writes nothing. */
final class ClusterObserver {
    private final Shards shards;
    private final ShardAccesses accesses;
    private final ClusterWatch watch;
    private final Errands errands;
    private final Scans scans;
    private final TablePublisher tables;
    private final RouterGates gates;
    private final AckDelay acks;
    private final Sweeper sweeper;

    ClusterObserver(
            Shards shards,
            ShardAccesses accesses,
            ClusterWatch watch,
            Errands errands,
            Scans scans,
            TablePublisher tables,
            RouterGates gates,
            AckDelay acks,
            Sweeper sweeper) {
        this.shards = shards;
        this.accesses = accesses;
        this.watch = watch;
        this.errands = errands;
        this.scans = scans;
        this.tables = tables;
        this.gates = gates;
        this.acks = acks;
        this.sweeper = sweeper;
    }

    ClusterObservation observe(ShardCluster cluster, Context<ShardCluster> context) {
        ResourceID id = ResourceID.fromResource(cluster);
        ClusterObservation.Access access = access(cluster, id);
        Optional<ClusterTarget> target = access.unreadable().isPresent()
                ? Optional.empty()
                : Optional.of(new ClusterTarget(access.shards(), ClusterSchemas.schema(cluster.getSpec())));
        target.ifPresent(aim -> watch.watch(id, aim));
        List<Witness> witnesses = witnesses(id); // before any table is read
        Optional<RoutingTable> shown = context.getSecondaryResource(RoutingTable.class);
        shown.ifPresentOrElse(object -> tables.observe(id, object), () -> tables.missing(id));
        Optional<PublishedTable> table = tables.current(id);
        Optional<ShardPolicy> policy = Policies.inForce(context.getSecondaryResources(ShardPolicy.class), id.getName());
        Optional<AckGate> acked = table.map(published -> gates.gate(
                cluster,
                AckRequirement.Kind.ANNOUNCEMENT,
                RouterGates.roles(cluster),
                published,
                published.table().order().revision()));
        return new ClusterObservation(
                cluster,
                access,
                target.flatMap(aim -> watch.sight(id, aim)),
                errands.state(id),
                target.flatMap(aim -> scans.of(id, aim)),
                table.map(PublishedTable::table),
                moves(context.getSecondaryResources(BucketMove.class), cluster),
                acked,
                acks.overdue(id, acked),
                witnesses,
                lost(id, witnesses, shown.map(object -> Tables.table(object).order())),
                policy,
                shards.fenceVersion(),
                tables.mirrorFault(id),
                sweeper.findings(id));
    }

    private List<Witness> witnesses(ResourceID cluster) {
        return Stream.concat(gates.witnesses(cluster).stream(), tables.witnesses(cluster).stream())
                .toList();
    }

    /** A watch may be behind the witnesses, so the API server is asked before anybody is believed. */
    private Optional<LostHistory> lost(ResourceID cluster, List<Witness> witnesses, Optional<TableOrder> shown) {
        return shown.flatMap(order -> LostHistory.of(witnesses, order))
                .flatMap(doubt -> tables.storedNow(cluster))
                .flatMap(order -> LostHistory.of(witnesses, order));
    }

    private ClusterObservation.Access access(ShardCluster cluster, ResourceID id) {
        boolean denied = watch.sight(id).stream()
                .flatMap(sight -> sight.shards().values().stream())
                .flatMap(shard -> shard.problems().stream())
                .anyMatch(problem -> problem.kind() == ShardSight.Problem.Kind.ACCESS_DENIED);
        if (denied) {
            accesses.loginRefused(cluster);
        }
        return switch (accesses.resolve(cluster)) {
            case ShardAccesses.Granted granted -> new ClusterObservation.Access(granted.shards(), Optional.empty());
            case ShardAccesses.Unreadable unreadable ->
                new ClusterObservation.Access(List.of(), Optional.of(unreadable.message()));
        };
    }

    private static List<ClusterObservation.ActiveMove> moves(Set<BucketMove> all, ShardCluster cluster) {
        return all.stream()
                .filter(move -> !MovePhases.of(move).terminal())
                .map(move -> new ClusterObservation.ActiveMove(
                        move.getMetadata().getName(),
                        move.getSpec().from(),
                        move.getSpec().to(),
                        Moves.scopes(move.getSpec(), cluster.getSpec()),
                        MovePhases.underWay(move)))
                .sorted(java.util.Comparator.comparing(ClusterObservation.ActiveMove::name))
                .toList();
    }
}
