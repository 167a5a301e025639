package io.shardwright.controllers.shardpolicy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.Bell;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.controllers.routers.AckStore;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import java.time.Clock;
import java.util.function.LongSupplier;

/** Everything of the kind ShardPolicy, put together. */
public final class PolicyRoom {
    private final PolicyNeighbours neighbours = new PolicyNeighbours(new Bell<>("news-of-policy"));
    private final ShardPolicyReconciler reconciler;

    /** @param nanos monotonic time */
    public record Shared(
            TablePublisher tables,
            AckStore acks,
            StatusWriter statuses,
            PolicyHours hours,
            RoomMetrics metrics,
            Clock clock,
            LongSupplier nanos) {}

    public PolicyRoom(KubernetesClient client, Shared shared) {
        this.reconciler = new ShardPolicyReconciler(
                neighbours,
                shared.tables(),
                new PlanExecutor(client),
                shared.statuses(),
                shared.hours(),
                new HotKeyPass(shared.acks(), shared.nanos()),
                shared.metrics(),
                shared.clock());
    }

    public Reconciler<ShardPolicy> reconciler() {
        return reconciler;
    }

    /** All policies of a cluster have news: its table. */
    public void ringAll(ResourceID cluster) {
        neighbours.ringAll(cluster);
    }
}
