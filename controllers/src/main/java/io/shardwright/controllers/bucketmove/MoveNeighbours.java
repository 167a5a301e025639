package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.shardwright.controllers.Bell;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.Updates;
import io.shardwright.controllers.shardpolicy.PolicyHours;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.meaning.Policies;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The objects around a move, from caches of one run of the framework, and the bell that calls moves. */
final class MoveNeighbours {
    private final Bell<BucketMove> bell;
    private final PolicyHours hours;
    private final Clock clock;
    private volatile Caches caches;

    private record Caches(
            IndexedResourceCache<BucketMove> moves,
            InformerEventSource<ShardCluster, BucketMove> clusters,
            InformerEventSource<ShardPolicy, BucketMove> policies) {}

    MoveNeighbours(Bell<BucketMove> bell, PolicyHours hours, Clock clock) {
        this.bell = bell;
        this.hours = hours;
        this.clock = clock;
    }

    List<EventSource<?, BucketMove>> newSources(EventSourceContext<BucketMove> context, Consumer<BucketMove> gone) {
        IndexedResourceCache<BucketMove> moves = context.getPrimaryCache();
        InformerEventSource<ShardCluster, BucketMove> clusters = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(ShardCluster.class, BucketMove.class)
                        .withName("cluster-of-move")
                        .withSecondaryToPrimaryMapper(cluster -> ids(moves, ResourceID.fromResource(cluster)))
                        .withPrimaryToSecondaryMapper((BucketMove move) -> Set.of(cluster(move)))
                        .withOnUpdateFilter(Updates::mattersToOthers)
                        .build(),
                context);
        InformerEventSource<ShardPolicy, BucketMove> policies = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(ShardPolicy.class, BucketMove.class)
                        .withName("policy-of-move")
                        .withSecondaryToPrimaryMapper(policy -> ids(
                                moves,
                                new ResourceID(
                                        policy.getSpec().clusterRef().name(),
                                        policy.getMetadata().getNamespace())))
                        .withOnUpdateFilter(Updates::changesSpec)
                        .build(),
                context);
        caches = new Caches(moves, clusters, policies);
        return List.of(bell.newSource(gone), clusters, policies);
    }

    MoveObserver.Surroundings around(BucketMove move) {
        Caches now = caches;
        ResourceID cluster = cluster(move);
        String namespace = move.getMetadata().getNamespace();
        Optional<ShardPolicy> policy =
                Policies.inForce(now.policies().list(namespace).collect(Collectors.toList()), cluster.getName());
        return new MoveObserver.Surroundings(
                now.clusters().get(cluster),
                Policies.specOf(policy),
                hours.of(policy, clock.instant()),
                peers(now.moves(), cluster));
    }

    /** All moves of a cluster have news: its table, its routers. */
    void ringAll(ResourceID cluster) {
        Caches now = caches;
        if (now != null) {
            ids(now.moves(), cluster).forEach(bell::ring);
        }
    }

    void ringOthers(BucketMove move) {
        ResourceID self = ResourceID.fromResource(move);
        ids(caches.moves(), cluster(move)).stream()
                .filter(other -> !other.equals(self))
                .forEach(bell::ring);
    }

    private static ResourceID cluster(BucketMove move) {
        return new ResourceID(
                move.getSpec().clusterRef().name(), move.getMetadata().getNamespace());
    }

    private static List<BucketMove> peers(IndexedResourceCache<BucketMove> moves, ResourceID cluster) {
        return moves.list(
                        cluster.getNamespace().orElseThrow(),
                        move -> move.getSpec().clusterRef().name().equals(cluster.getName()))
                .toList();
    }

    /** Those that are not terminal. */
    private static Set<ResourceID> ids(IndexedResourceCache<BucketMove> moves, ResourceID cluster) {
        return peers(moves, cluster).stream()
                .filter(move -> !MovePhases.of(move).terminal())
                .map(ResourceID::fromResource)
                .collect(Collectors.toSet());
    }
}
