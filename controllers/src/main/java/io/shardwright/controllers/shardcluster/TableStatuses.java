package io.shardwright.controllers.shardcluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.shardwright.controllers.report.Pace;
import io.shardwright.controllers.report.StatusText;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableStatus;
import io.shardwright.planning.acks.AckGate;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Shows on the RoutingTable who has acknowledged it and who has not, at most every five seconds. */
final class TableStatuses {
    private final KubernetesClient client;
    private final Pace<String> pace;

    TableStatuses(KubernetesClient client, LongSupplier nanos) {
        this.client = client;
        this.pace = new Pace<>(Duration.ofSeconds(5), nanos);
    }

    /**
     * Writes nothing unless the gate is about the revision of the object: counts of another revision say nothing about it.
     *
     * @param object as the cache has it
     * @param table the one that the gate is about
     * @return when what was held back may be written
     */
    Optional<Duration> write(
            RoutingTable object, Optional<io.shardwright.routing.RoutingTable> table, Optional<AckGate> gate) {
        Optional<RoutingTableStatus> wanted = gate.filter(AckGate::known)
                .filter(counted -> table.filter(about -> isOf(object, about)).isPresent())
                .map(counted -> status(object, counted))
                .filter(status -> !status.equals(object.getStatus()));
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        Optional<Duration> wait = pace.wait(object.getMetadata().getUid());
        if (wait.isEmpty()) {
            store(object, wanted.get());
        }
        return wait;
    }

    private static boolean isOf(RoutingTable object, io.shardwright.routing.RoutingTable table) {
        return object.getSpec().revision() == table.order().revision()
                && object.getSpec().incarnation() == table.order().incarnation();
    }

    static RoutingTableStatus status(RoutingTable object, AckGate gate) {
        return new RoutingTableStatus(
                object.getMetadata().getGeneration(),
                ClusterStatusFactory.acks(gate),
                gate.holding().stream()
                        .map(holder -> new RoutingTableStatus.Missing(name(holder), StatusText.cut(holder.reason())))
                        .toList());
    }

    /** A router that nobody has declared chose its name itself. */
    private static String name(AckGate.Holder holder) {
        return holder.name()
                .substring(
                        0, Math.min(RoutingTableStatus.NAME_MAX, holder.name().length()));
    }

    private void store(RoutingTable seen, RoutingTableStatus status) {
        String uid = seen.getMetadata().getUid();
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
