package io.shardwright.controllers.report;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Role;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Figures for monitoring. Labels are bounded (cluster, phase, role, state; never the name of a move or a pod) and end with
 * their cluster.
 */
public final class RoomMetrics {
    private final MeterRegistry registry;
    private final Map<Meter.Id, AtomicLong> gauges = new ConcurrentHashMap<>();

    public RoomMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Records the hold of a group, once for each bucket of it. */
    public void switched(BucketMove move, int buckets, double holdMs) {
        for (int i = 0; i < buckets; i++) {
            hold(move).record(holdMs);
        }
    }

    private DistributionSummary hold(BucketMove move) {
        return DistributionSummary.builder("shardwright_write_hold_milliseconds")
                .description("How long writers of a bucket waited at its switch")
                .tags(cluster(
                        move.getMetadata().getNamespace(),
                        move.getSpec().clusterRef().name()))
                .serviceLevelObjectives(1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000, 2000)
                .register(registry);
    }

    public void moves(String namespace, String cluster, Map<MovePhase, Long> byPhase) {
        for (MovePhase phase : MovePhase.values()) {
            set(
                    "shardwright_moves",
                    "Moves of a cluster by phase, terminal ones left out",
                    cluster(namespace, cluster).and("phase", phase.wire()),
                    byPhase.getOrDefault(phase, 0L));
        }
    }

    public void table(String namespace, String cluster, long revision) {
        set("shardwright_table_revision", "Revision of the published table", cluster(namespace, cluster), revision);
    }

    /** Live routers that have, and that have not, acknowledged the published table. */
    public void routers(String namespace, String cluster, AckGate gate) {
        for (Role role : Role.values()) {
            int live = gate.live().getOrDefault(role, 0);
            int acked = gate.acked().getOrDefault(role, 0);
            Tags tags = cluster(namespace, cluster).and("role", role.wire());
            String about = "Live routers by whether they acknowledged the published table";
            set("shardwright_routers", about, tags.and("state", "acked"), acked);
            set("shardwright_routers", about, tags.and("state", "behind"), (long) live - acked);
        }
    }

    /** A cluster is gone, and its figures with it. */
    public void forget(String namespace, String cluster) {
        Tags mine = cluster(namespace, cluster);
        registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("shardwright_"))
                .filter(id -> mine.stream().allMatch(tag -> id.getTags().contains(tag)))
                .forEach(id -> {
                    registry.remove(id);
                    gauges.remove(id);
                });
    }

    private static Tags cluster(String namespace, String cluster) {
        return Tags.of("namespace", namespace, "cluster", cluster);
    }

    private void set(String name, String about, Tags tags, long value) {
        Meter.Id id = new Meter.Id(name, tags, null, about, Meter.Type.GAUGE);
        gauges.computeIfAbsent(id, any -> {
                    AtomicLong held = new AtomicLong();
                    Gauge.builder(name, held, AtomicLong::doubleValue)
                            .description(about)
                            .tags(tags)
                            .register(registry);
                    return held;
                })
                .set(value);
    }
}
