package io.shardwright.crds.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.shardwright.crds.Acks;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableStatus;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardState;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.servers.ControlPlane;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The Java types and the stored objects say the same: nothing is lost, added or refused on the way there and back. */
@ExtendWith(InstalledApi.class)
class TypesIT {
    private static final String NAMESPACE = "types";
    private static final String NOW = "2026-03-01T10:00:00.123Z";
    private static final Blocker BLOCKER = new Blocker("Router", "orders-web-7", NOW, "silent for 42 s");

    private static KubernetesClient client;

    @BeforeAll
    static void makeNamespace(ControlPlane plane) {
        client = plane.adminClient();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
    }

    @Test
    void aClusterComesBackAsItWasWritten() {
        var status = new ShardClusterStatus(
                1L,
                1,
                Map.of(
                        "ds-0",
                        new ShardClusterStatus.ShardFinding(
                                ShardState.READY.wire(), "a", 100, 2, "7312345678901234567", "18.1", "good")),
                new ShardClusterStatus.Routing(7L, Acks.of(2, 2, 1, 2)),
                new ShardClusterStatus.Activity("moving 20 buckets", NOW),
                List.of(BLOCKER),
                "nothing",
                Map.of("moves", "tested on PostgreSQL 15 and 18"),
                List.of(condition(ConditionType.READY)));

        comesBack(Samples.cluster(NAMESPACE, "orders"), status, ShardCluster.class);
    }

    @Test
    void aPolicyComesBackAsItWasWritten() {
        var plan = new ShardPolicyStatus.Plan(
                "3f9a1c77",
                NOW,
                List.of(
                        new ShardPolicyStatus.PlannedMove("ds-0", "ds-4", List.of(3, 17), null),
                        new ShardPolicyStatus.PlannedMove("ds-0", "ds-hot", null, List.of("42"))),
                "20%",
                "20%",
                "1.25",
                "1.00",
                List.of("ds-4 has weight 100 and no bucket"));
        var status = new ShardPolicyStatus(
                1L,
                plan,
                new ShardPolicyStatus.Made("3f9a1c77", ""),
                List.of(
                        new ShardPolicyStatus.HotKey("42", "ds-hot", NOW, ShardPolicyStatus.HotKey.PINNED),
                        new ShardPolicyStatus.HotKey(
                                "43",
                                "ds-hot",
                                NOW,
                                "CoolingDown",
                                true,
                                "BelowHalf",
                                "ds-hot",
                                "ds-0",
                                "7%",
                                "4.5ms",
                                "1.2ms")),
                "approve it",
                List.of(condition(ConditionType.PLAN_APPROVED)));

        comesBack(Samples.policy(NAMESPACE, "orders"), status, ShardPolicy.class);
    }

    @Test
    void aMoveComesBackAsItWasWritten() {
        var status = new BucketMoveStatus(
                1L,
                "Reversing",
                new BucketMoveStatus.Progress(900L, 1_000L, 5_000_000L, 0L, "standby ds-4-b is more than 5 s behind"),
                new BucketMoveStatus.Hold(4.5, 6.0, 2),
                List.of(new BucketMoveStatus.Switch(3, null, 4.5, 6.0, Map.of("drain", 1.5, "hop", 0.7))),
                new BucketMoveStatus.Verification(1, 12, 0L),
                Acks.of(2, 2, 2, 2),
                NOW,
                new BucketMoveStatus.Reversal("Switching", true),
                true,
                List.of(BLOCKER),
                "wait",
                List.of(new BucketMoveStatus.Transition(NOW, "Reversible", "Reversing", "wanted by spec.intent")),
                List.of(condition(ConditionType.IN_SYNC)));

        comesBack(Samples.move(NAMESPACE, "first"), status, BucketMove.class);
    }

    @Test
    void aTableComesBackAsItWasWritten() {
        comesBack(
                Samples.table(NAMESPACE, "orders"),
                new RoutingTableStatus(
                        1L,
                        Acks.of(0, 2, 0, 2),
                        List.of(new RoutingTableStatus.Missing("orders-web-7 (web)", "is at revision 6 of 7: wait"))),
                RoutingTable.class);
    }

    private static <S, T, R extends CustomResource<S, T>> void comesBack(R written, T status, Class<R> kind) {
        R created = client.resource(written).create();
        created.setStatus(status);
        client.resource(created).updateStatus();

        R stored = client.resources(kind)
                .inNamespace(NAMESPACE)
                .withName(written.getMetadata().getName())
                .get();

        assertThat(stored.getSpec()).isEqualTo(written.getSpec());
        assertThat(stored.getStatus()).isEqualTo(status);
        String version = stored.getMetadata().getResourceVersion();
        assertThat(client.resource(stored).update().getMetadata().getResourceVersion())
                .as("an update with what was read changes nothing")
                .isEqualTo(version);
    }

    private static Condition condition(ConditionType type) {
        return Condition.of(type, ConditionStatus.TRUE, Reason.SETTLED, "all is done", 1L, Instant.parse(NOW));
    }
}
