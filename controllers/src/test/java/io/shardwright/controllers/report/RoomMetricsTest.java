package io.shardwright.controllers.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Role;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoomMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RoomMetrics metrics = new RoomMetrics(registry);

    private double gauge(String name, String label, String value) {
        return registry.get(name)
                .tag("cluster", "orders")
                .tag(label, value)
                .gauge()
                .value();
    }

    @Test
    void recordsTheHoldOfAGroupForEachOfItsBuckets() {
        BucketMove move = new BucketMove();
        move.getMetadata().setNamespace("shop");
        move.setSpec(new BucketMoveSpec(new ClusterRef("orders"), "a", "b", List.of(1, 2), null, null, null));

        metrics.switched(move, 2, 4.5);

        var hold = registry.get("shardwright_write_hold_milliseconds").summary();
        assertThat(hold.count()).isEqualTo(2);
        assertThat(hold.max()).isEqualTo(4.5);
    }

    @Test
    void showsMovesAndRoutersAndForgetsThemWithTheirCluster() {
        metrics.moves("shop", "orders", Map.of(MovePhase.COPYING, 2L));
        metrics.routers("shop", "orders", new AckGate(Map.of(Role.WEB, 3), Map.of(Role.WEB, 2), List.of(), true));
        metrics.table("shop", "orders", 7);
        metrics.table("shop", "other", 8);
        assertThat(gauge("shardwright_moves", "phase", "Copying")).isEqualTo(2);
        assertThat(registry.get("shardwright_routers")
                        .tag("role", "worker")
                        .tag("state", "acked")
                        .gauge()
                        .value())
                .isZero();
        assertThat(registry.get("shardwright_routers")
                        .tag("role", "web")
                        .tag("state", "behind")
                        .gauge()
                        .value())
                .isEqualTo(1);

        metrics.moves("shop", "orders", Map.of());
        assertThat(gauge("shardwright_moves", "phase", "Copying")).isZero();
        metrics.forget("shop", "orders");

        assertThat(registry.getMeters())
                .singleElement()
                .satisfies(meter -> assertThat(meter.getId().getTag("cluster")).isEqualTo("other"));
    }
}
