package io.shardwright.controllers.shardcluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.Bell;
import io.shardwright.controllers.access.ShardAccesses;
import io.shardwright.controllers.report.Announcer;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.controllers.routers.AckStore;
import io.shardwright.controllers.routers.RouterGates;
import io.shardwright.controllers.routers.RouterPods;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.dataplane.Leftovers;
import io.shardwright.dataplane.Shards;
import io.shardwright.dataplane.StepBoundary;
import java.time.Clock;
import java.util.List;
import java.util.function.LongSupplier;

/** Everything of the kind ShardCluster, put together. */
public final class ClusterRoom implements AutoCloseable {
    private final Bell<ShardCluster> bell = new Bell<>("news-of-cluster");
    private final ClusterWatch watch;
    private final Errands errands;
    private final Sweeper sweeper;
    private final ShardClusterReconciler reconciler;

    /** What this kind shares with the others. */
    public record Shared(
            ShardAccesses accesses,
            TablePublisher tables,
            RouterGates gates,
            AckStore acks,
            RouterPods pods,
            StatusWriter statuses,
            Announcer announcer,
            RoomMetrics metrics,
            StepBoundary boundary,
            Clock clock,
            LongSupplier nanos) {}

    public ClusterRoom(KubernetesClient client, Shards shards, Leftovers leftovers, Shared shared) {
        this.watch = new ClusterWatch(shards, bell::ring);
        this.errands = new Errands(bell::ring, shared.nanos());
        this.sweeper = new Sweeper(client, leftovers, shared.announcer(), shared.metrics(), bell::ring, shared.nanos());
        Scans scans = new Scans(shared.nanos());
        AckDelay acks = new AckDelay(shared.nanos());
        ClusterFigures figures = new ClusterFigures(shared.metrics(), shared.gates(), shared.clock());
        this.reconciler = new ShardClusterReconciler(
                new ClusterObserver(
                        shards,
                        shared.accesses(),
                        watch,
                        errands,
                        scans,
                        shared.tables(),
                        shared.gates(),
                        acks,
                        sweeper),
                new ClusterExecutor(shards, errands, scans, watch, shared.tables(), shared.boundary(), shared.nanos()),
                shared.statuses(),
                new TableStatuses(client, shared.nanos()),
                figures,
                sweeper,
                bell,
                cluster -> {
                    watch.forget(cluster);
                    errands.forget(cluster);
                    sweeper.forget(cluster);
                    scans.forget(cluster);
                    acks.forget(cluster);
                    shared.tables().forget(cluster);
                    shared.acks().forget(cluster);
                    if (in(cluster.getNamespace().orElse("")).isEmpty()) {
                        shared.pods().forget(cluster.getNamespace().orElse(""));
                    }
                    figures.forget(cluster);
                },
                shared.clock(),
                shared.nanos());
    }

    public Reconciler<ShardCluster> reconciler() {
        return reconciler;
    }

    /** The clusters of a namespace that are watched. */
    public List<ResourceID> in(String namespace) {
        return watch.in(namespace);
    }

    public void ring(ResourceID cluster) {
        bell.ring(cluster);
    }

    @Override
    public void close() {
        errands.close();
        sweeper.close();
        watch.close();
    }
}
