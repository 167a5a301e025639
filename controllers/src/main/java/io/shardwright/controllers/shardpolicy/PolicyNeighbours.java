package io.shardwright.controllers.shardpolicy;

import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.shardwright.controllers.Bell;
import io.shardwright.controllers.Updates;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The objects around a policy, from caches of one run of the framework, and the bell that calls policies. */
final class PolicyNeighbours {
    private final Bell<ShardPolicy> bell;
    private volatile Caches caches;

    private record Caches(
            IndexedResourceCache<ShardPolicy> policies,
            InformerEventSource<ShardCluster, ShardPolicy> clusters,
            InformerEventSource<BucketMove, ShardPolicy> moves) {}

    PolicyNeighbours(Bell<ShardPolicy> bell) {
        this.bell = bell;
    }

    /** @param left told of the cluster of each policy that was deleted */
    List<EventSource<?, ShardPolicy>> newSources(EventSourceContext<ShardPolicy> context, Consumer<ResourceID> left) {
        IndexedResourceCache<ShardPolicy> policies = context.getPrimaryCache();
        InformerEventSource<ShardCluster, ShardPolicy> clusters = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(ShardCluster.class, ShardPolicy.class)
                        .withName("cluster-of-policy")
                        .withSecondaryToPrimaryMapper(cluster -> ids(policies, ResourceID.fromResource(cluster)))
                        .withPrimaryToSecondaryMapper((ShardPolicy policy) -> Set.of(cluster(policy)))
                        .withOnUpdateFilter(Updates::mattersToOthers)
                        .build(),
                context);
        InformerEventSource<BucketMove, ShardPolicy> moves = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(BucketMove.class, ShardPolicy.class)
                        .withName("moves-of-policy")
                        .withSecondaryToPrimaryMapper(move -> ids(
                                policies,
                                new ResourceID(
                                        move.getSpec().clusterRef().name(),
                                        move.getMetadata().getNamespace())))
                        .withOnUpdateFilter(Updates::endsMove)
                        .build(),
                context);
        caches = new Caches(policies, clusters, moves);
        return List.of(
                bell.newSource(gone -> {
                    left.accept(cluster(gone));
                    ringAll(cluster(gone));
                }),
                clusters,
                moves);
    }

    static ResourceID cluster(ShardPolicy policy) {
        return new ResourceID(
                policy.getSpec().clusterRef().name(), policy.getMetadata().getNamespace());
    }

    Optional<ShardCluster> cluster(ResourceID cluster) {
        return caches.clusters().get(cluster);
    }

    List<ShardPolicy> policies(ResourceID cluster) {
        return policies(caches.policies(), cluster);
    }

    List<BucketMove> moves(ResourceID cluster) {
        return caches.moves()
                .list(
                        cluster.getNamespace().orElseThrow(),
                        move -> move.getSpec().clusterRef().name().equals(cluster.getName()))
                .toList();
    }

    /** A pass that has stored something is followed by another one, which may act on what is stored now. */
    void ring(ShardPolicy policy) {
        bell.ring(ResourceID.fromResource(policy));
    }

    /** All policies of a cluster have news: its table, or one of them is gone. */
    void ringAll(ResourceID cluster) {
        Caches now = caches;
        if (now != null) {
            ids(now.policies(), cluster).forEach(bell::ring);
        }
    }

    private static List<ShardPolicy> policies(IndexedResourceCache<ShardPolicy> policies, ResourceID cluster) {
        return policies.list(
                        cluster.getNamespace().orElseThrow(),
                        policy -> policy.getSpec().clusterRef().name().equals(cluster.getName()))
                .toList();
    }

    private static Set<ResourceID> ids(IndexedResourceCache<ShardPolicy> policies, ResourceID cluster) {
        return policies(policies, cluster).stream()
                .map(ResourceID::fromResource)
                .collect(Collectors.toSet());
    }
}
