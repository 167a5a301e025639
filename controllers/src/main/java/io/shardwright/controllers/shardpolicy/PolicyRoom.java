package io.shardwright.controllers.shardpolicy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.Bell;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import java.time.Clock;

/** Everything of the kind ShardPolicy, put together. */
public final class PolicyRoom {
    private final PolicyNeighbours neighbours = new PolicyNeighbours(new Bell<>("news-of-policy"));
    private final ShardPolicyReconciler reconciler;

    public PolicyRoom(
            KubernetesClient client, TablePublisher tables, StatusWriter statuses, PolicyHours hours, Clock clock) {
        this.reconciler =
                new ShardPolicyReconciler(neighbours, tables, new PlanExecutor(client), statuses, hours, clock);
    }

    public Reconciler<ShardPolicy> reconciler() {
        return reconciler;
    }

    /** All policies of a cluster have news: its table. */
    public void ringAll(ResourceID cluster) {
        neighbours.ringAll(cluster);
    }
}
