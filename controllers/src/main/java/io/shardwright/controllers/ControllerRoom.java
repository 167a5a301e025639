package io.shardwright.controllers;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.MeterRegistry;
import io.shardwright.controllers.access.ShardAccesses;
import io.shardwright.controllers.bucketmove.MoveRoom;
import io.shardwright.controllers.report.Announcer;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.controllers.routers.AckStore;
import io.shardwright.controllers.routers.RouterGates;
import io.shardwright.controllers.routers.RouterPods;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.controllers.shardcluster.ClusterRoom;
import io.shardwright.controllers.shardpolicy.PolicyHours;
import io.shardwright.controllers.shardpolicy.PolicyRoom;
import io.shardwright.dataplane.Leftovers;
import io.shardwright.dataplane.Movers;
import io.shardwright.dataplane.Shards;
import io.shardwright.dataplane.StepBoundary;
import java.time.Clock;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The room put together: three reconcilers and what they share, for one process and at most one term as leader. Nothing in it
 * acts before the first reconcile. Closing it ends movers and watches; what was begun in the databases stays for the next
 * leader.
 */
public final class ControllerRoom implements AutoCloseable {
    private final AckStore acks = new AckStore();
    private final RouterPods pods;
    private final TablePublisher tables;
    private final ClusterRoom clusters;
    private final PolicyRoom policies;
    private final MoveRoom moves;

    /**
     * @param boundary told of every step with an effect
     * @param superseded called when a routing table shows that another process has taken over; it should end this process
     */
    public ControllerRoom(
            KubernetesClient client,
            Shards shards,
            Movers movers,
            Leftovers leftovers,
            StepBoundary boundary,
            Clock clock,
            MeterRegistry registry,
            Runnable superseded) {
        this(client, shards, movers, leftovers, boundary, clock, System::nanoTime, registry, superseded);
    }

    /** @param nanos monotonic time */
    ControllerRoom(
            KubernetesClient client,
            Shards shards,
            Movers movers,
            Leftovers leftovers,
            StepBoundary boundary,
            Clock clock,
            LongSupplier nanos,
            MeterRegistry registry,
            Runnable superseded) {
        RoomMetrics metrics = new RoomMetrics(registry, clock);
        Announcer announcer = new Announcer(client, clock);
        StatusWriter statuses = new StatusWriter(announcer);
        ShardAccesses accesses = new ShardAccesses(client, nanos);
        this.tables = new TablePublisher(client, superseded, nanos);
        this.pods = new RouterPods(client, acks);
        RouterGates gates = new RouterGates(pods, acks, tables, nanos);
        this.clusters = new ClusterRoom(
                client,
                shards,
                leftovers,
                new ClusterRoom.Shared(
                        accesses, tables, gates, acks, pods, statuses, announcer, metrics, boundary, clock, nanos));
        PolicyHours hours = new PolicyHours();
        this.policies =
                new PolicyRoom(client, new PolicyRoom.Shared(tables, acks, statuses, hours, metrics, clock, nanos));
        this.moves = new MoveRoom(
                movers,
                new MoveRoom.Shared(
                        accesses, tables, gates, statuses, announcer, hours, metrics, boundary, clock, nanos));
        acks.onNews(this::routersHaveNews);
        pods.onChange(this::podsHaveNews);
        tables.onPublished(this::tableHasNews);
        tables.onCopyDisturbed(clusters::ring);
    }

    /** The reconcilers to register; each run of the framework asks them for their event sources anew. */
    public List<Reconciler<?>> reconcilers() {
        return List.of(clusters.reconciler(), policies.reconciler(), moves.reconciler());
    }

    /** Where acknowledgements of routers go. */
    public AckStore acks() {
        return acks;
    }

    private void routersHaveNews(ResourceID cluster) {
        clusters.ring(cluster);
        moves.ringAll(cluster);
    }

    private void podsHaveNews(String namespace) {
        clusters.in(namespace).forEach(this::routersHaveNews);
    }

    private void tableHasNews(ResourceID cluster) {
        clusters.ring(cluster);
        policies.ringAll(cluster);
        moves.ringAll(cluster);
    }

    @Override
    public void close() {
        moves.close();
        clusters.close();
        pods.close();
        tables.close();
    }
}
