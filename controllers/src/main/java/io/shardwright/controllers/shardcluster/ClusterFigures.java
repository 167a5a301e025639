package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.routers.OpenPublications;
import io.shardwright.controllers.routers.RouterGates;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.acks.AckRequirement;
import io.shardwright.routing.Role;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Tells monitoring what the passes over a cluster see; decides nothing. */
final class ClusterFigures {
    private final RoomMetrics metrics;
    private final RouterGates gates;
    private final Clock clock;
    private final Map<ResourceID, Memory> memories = new ConcurrentHashMap<>();

    ClusterFigures(RoomMetrics metrics, RouterGates gates, Clock clock) {
        this.metrics = metrics;
        this.gates = gates;
        this.clock = clock;
    }

    /** What is kept of one cluster between its passes, which do not overlap. */
    private static final class Memory {
        private final OpenPublications publications = new OpenPublications();
        private final OwnershipDoubts doubts = new OwnershipDoubts();
        private final StuckMoves stuck = new StuckMoves();
    }

    /**
     * What a pass has seen.
     *
     * @param table as it is stored after the pass
     * @param moves all of the cluster, ended ones too
     */
    void seen(ClusterObservation seen, Optional<PublishedTable> table, Collection<BucketMove> moves) {
        ResourceID id = ResourceID.fromResource(seen.cluster());
        String namespace = seen.cluster().getMetadata().getNamespace();
        Instant now = clock.instant();
        Memory memory = memories.computeIfAbsent(id, any -> new Memory());
        metrics.began(namespace, id.getName());
        metrics.moves(
                namespace,
                id.getName(),
                seen.moves().stream()
                        .collect(Collectors.groupingBy(ClusterObservation.ActiveMove::phase, Collectors.counting())));
        metrics.stuck(
                namespace, id.getName(), memory.stuck.blockedSince(moves, now), memory.stuck.heldSince(moves, now));
        seen.acked().filter(AckGate::known).ifPresent(gate -> metrics.routers(namespace, id.getName(), gate));
        table.ifPresent(published -> {
            metrics.table(namespace, id.getName(), published.table().order().revision());
            publications(seen, published, memory, now);
        });
        ownership(seen, memory);
    }

    /** A pass has ended, with this status stored. */
    void passed(ResourceID cluster, ShardClusterStatus status) {
        said(cluster, status);
        metrics.passed(cluster.getNamespace().orElse(""), cluster.getName());
    }

    /** The status of a cluster, also of one whose passes fail. */
    void said(ResourceID cluster, ShardClusterStatus status) {
        metrics.conditions(cluster.getNamespace().orElse(""), cluster.getName(), status.conditions());
    }

    void forget(ResourceID cluster) {
        memories.remove(cluster);
        metrics.forget(cluster.getNamespace().orElse(""), cluster.getName());
    }

    /** A role in which nobody lives owes nothing, unless a move waits for it. */
    private void publications(ClusterObservation seen, PublishedTable table, Memory memory, Instant now) {
        memory.publications.published(table.table().order(), now);
        boolean awaited = !seen.moves().isEmpty();
        for (Role role : RouterGates.roles(seen.cluster())) {
            Optional<Instant> since = memory.publications.owedSince(
                    role, awaited, now, revision -> acknowledged(seen, role, table, revision));
            boolean empty = seen.acked()
                    .filter(gate -> gate.known() && gate.live().getOrDefault(role, 0) == 0)
                    .isPresent();
            metrics.unacknowledged(
                    seen.cluster().getMetadata().getNamespace(),
                    seen.cluster().getMetadata().getName(),
                    role,
                    since.filter(at -> awaited || !empty));
        }
    }

    private boolean acknowledged(ClusterObservation seen, Role role, PublishedTable table, long revision) {
        AckGate gate = gates.gate(seen.cluster(), AckRequirement.Kind.ANNOUNCEMENT, EnumSet.of(role), table, revision);
        int live = gate.live().getOrDefault(role, 0);
        return gate.known() && live > 0 && gate.acked().getOrDefault(role, 0) == live;
    }

    private void ownership(ClusterObservation seen, Memory memory) {
        OwnershipDoubts.Found found = memory.doubts.look(seen);
        metrics.ownership(
                seen.cluster().getMetadata().getNamespace(),
                seen.cluster().getMetadata().getName(),
                found.contested(),
                found.ownerless());
    }
}
