package io.shardwright.controllers.shardcluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.shardwright.controllers.report.Pace;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.Routing;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Shows on the RoutingTable who has acknowledged it: counts only, at most every five seconds. */
final class TableStatuses {
    private final KubernetesClient client;
    private final Pace<String> pace;

    TableStatuses(KubernetesClient client, LongSupplier nanos) {
        this.client = client;
        this.pace = new Pace<>(Duration.ofSeconds(5), nanos);
    }

    /** @param seen the object as the cache has it: counts of another revision say nothing about it */
    void write(RoutingTable seen, Routing routing) {
        String uid = seen.getMetadata().getUid();
        if (routing == null
                || routing.acked() == null
                || !seen.getSpec().revision().equals(routing.revision())
                || pace.wait(uid).isPresent()) {
            return;
        }
        RoutingTableStatus status = new RoutingTableStatus(seen.getMetadata().getGeneration(), routing.acked());
        if (status.equals(seen.getStatus())) {
            return;
        }
        RoutingTable fresh = new RoutingTable();
        fresh.getMetadata().setName(seen.getMetadata().getName());
        fresh.getMetadata().setNamespace(seen.getMetadata().getNamespace());
        fresh.getMetadata().setUid(uid);
        fresh.setStatus(status);
        client.resource(fresh)
                .subresource("status")
                .patch(new PatchContext.Builder()
                        .withForce(true)
                        .withFieldManager("shardwright-shardcluster")
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .build());
        pace.written(uid);
    }
}
