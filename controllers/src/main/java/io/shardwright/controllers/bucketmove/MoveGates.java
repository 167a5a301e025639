package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.routers.RouterGates;
import io.shardwright.controllers.routers.RouterPod;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.acks.AckRequirement.Kind;
import io.shardwright.planning.moves.MoveObservation.Acks;
import io.shardwright.routing.Role;
import io.shardwright.routing.TableOrder;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** The acknowledgements that a move waits for, each counted for the revision from which this leader saw its cause. */
final class MoveGates {
    private static final AckGate NOBODY_ASKED = new AckGate(Map.of(), Map.of(), List.of(), true);

    private final RouterGates routers;
    private final LongSupplier nanos;

    MoveGates(RouterGates routers, LongSupplier nanos) {
        this.routers = routers;
        this.nanos = nanos;
    }

    Acks acks(
            Optional<ShardCluster> cluster,
            Optional<PublishedTable> table,
            Optional<HandoverClock.Reading> reading,
            OpenGate cleanup) {
        if (cluster.isEmpty() || table.isEmpty() || reading.isEmpty()) {
            AckGate unknown = AckGate.unknown("there is no routing table yet");
            cleanup.shut();
            return new Acks(unknown, unknown, unknown, unknown, Duration.ZERO);
        }
        Set<Role> all = RouterGates.roles(cluster.get());
        HandoverClock.Reading at = reading.get();
        AckGate folded = routers.gate(cluster.get(), Kind.CLEANUP, all, table.get(), at.foldedAt());
        boolean open = folded.open() && !at.view().folded().isEmpty();
        Duration openFor = cleanup.note(
                open,
                new TableOrder(table.get().table().order().incarnation(), at.foldedAt(), 0),
                routers.lastInterruption(ResourceID.fromResource(cluster.get())),
                nanos.getAsLong());
        return new Acks(
                routers.gate(cluster.get(), Kind.ANNOUNCEMENT, all, table.get(), at.announcedAt()),
                role(cluster.get(), all, Role.WORKER, table.get(), at.workersAt()),
                role(cluster.get(), all, Role.WEB, table.get(), at.webAt()),
                folded,
                openFor);
    }

    private AckGate role(ShardCluster cluster, Set<Role> declared, Role role, PublishedTable table, long revision) {
        if (!declared.isEmpty() && !declared.contains(role)) {
            return NOBODY_ASKED;
        }
        Set<Role> asked = declared.contains(role) ? EnumSet.of(role) : Set.of();
        return routers.gate(cluster, Kind.ANNOUNCEMENT, asked, table, revision);
    }

    /** @param liveRouters instance ids of all pods that may be routers */
    record Cleanup(AckGate gate, Set<String> liveRouters) {}

    /** Whether deletion may begin, by the pods as the API server lists them now. */
    Cleanup cleanupNow(SeenMove seen) {
        ShardCluster cluster = seen.cluster().orElseThrow();
        List<RouterPod> pods = routers.listNow(cluster);
        AckGate gate = routers.gate(
                cluster,
                Kind.CLEANUP,
                RouterGates.roles(cluster),
                seen.table().orElseThrow(),
                seen.reading().orElseThrow().foldedAt(),
                pods);
        return new Cleanup(
                gate,
                pods.stream().filter(RouterPod::live).map(RouterPod::uid).collect(Collectors.toUnmodifiableSet()));
    }
}
