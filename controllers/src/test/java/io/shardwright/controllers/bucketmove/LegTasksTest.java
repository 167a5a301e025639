package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.world.MoveStatuses;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.meaning.Policies;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a move was promised: its soak, and the longest hold of a switch. */
class LegTasksTest {
    private static final Duration FOLDED = Duration.ofMinutes(20);
    private static final ShardCluster CLUSTER = Serialization.unmarshal("""
            metadata: {name: orders, namespace: shop}
            spec:
              engine: PostgreSQL
              database: shop
              sharding: {buckets: 4, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
              shards: []
            """, ShardCluster.class);

    private static BucketMove move(Instant until) {
        BucketMove move = new BucketMove();
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"), "ds-0", "ds-4", List.of(3), null, null, null, BucketMoveSpec.Intent.RUN));
        String told = until == null ? null : until.toString();
        move.setStatus(MoveStatuses.soaking(told));
        return move;
    }

    private static Duration soak(Leg leg, Duration byPolicy, Instant until) {
        Task task =
                new Task(new UUID(0, 1), new UUID(0, 2), leg, "ds-0", "ds-4", Scope.buckets(3), 1, FOLDED, byPolicy);
        return LegTasks.asPromised(task, move(until), FOLDED, EIGHT).soak();
    }

    @Test
    void aPolicyThatIsChangedOrDeletedEndsNoSoakEarlierThanItWasTold() {
        assertThat(soak(Leg.THERE, Duration.ZERO, EIGHT.plusSeconds(2400))).isEqualTo(FOLDED.plusSeconds(2400));
        assertThat(soak(Leg.THERE, Duration.ofMinutes(30), EIGHT.plusSeconds(2400)))
                .isEqualTo(FOLDED.plusSeconds(2400));
    }

    @Test
    void aLongerSoakCountsAndAPromiseThatIsKeptIsOver() {
        assertThat(soak(Leg.THERE, Duration.ofHours(2), EIGHT.plusSeconds(2400)))
                .isEqualTo(Duration.ofHours(2));
        assertThat(soak(Leg.THERE, Duration.ofMinutes(20), EIGHT.minusSeconds(60)))
                .isEqualTo(Duration.ofMinutes(20));
        assertThat(soak(Leg.THERE, Duration.ofHours(1), null)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void theWayBackHasNoSoak() {
        assertThat(soak(Leg.BACK, Duration.ZERO, EIGHT.plusSeconds(2400))).isZero();
    }

    @Test
    void aMoveBeforeItsFirstStatusWasPromisedNothing() {
        BucketMove fresh = move(null);
        fresh.setStatus(null);
        Task task = new Task(
                new UUID(0, 1),
                new UUID(0, 2),
                Leg.THERE,
                "ds-0",
                "ds-4",
                Scope.buckets(3),
                1,
                FOLDED,
                Duration.ofHours(1));

        assertThat(LegTasks.asPromised(task, fresh, Duration.ZERO, EIGHT)).isSameAs(task);
    }

    private static MoveTask.Limits limits(String own, boolean planned, ShardPolicySpec policy) {
        BucketMove move = move(null);
        move.setMetadata(new ObjectMetaBuilder()
                .withUid(new UUID(0, 1).toString())
                .withLabels(planned ? Map.of(Names.PLAN_LABEL, "e3b0") : Map.of())
                .build());
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"), "ds-0", "ds-4", List.of(3), null, own, null, BucketMoveSpec.Intent.RUN));
        return LegTasks.forMovers(move, Scope.buckets(3), CLUSTER, policy, List.of(shard("ds-0"), shard("ds-4")))
                .limits();
    }

    private static ShardAccess shard(String name) {
        ShardAccess.Login login = new ShardAccess.Login("login", "secret");
        return new ShardAccess(
                name,
                List.of(new ShardAccess.Endpoint("a", name, 5432)),
                "shop",
                login,
                login,
                new ShardAccess.Tls(ShardAccess.Tls.Mode.DISABLE, null));
    }

    private static ShardPolicySpec policy(String writeHoldBudget) {
        Rebalancing limits =
                new Rebalancing(null, null, null, writeHoldBudget, null, null, "10ms", null, null, null, null, null);
        return new ShardPolicySpec(new ClusterRef("orders"), limits, null, null, null, null);
    }

    @Test
    void aPolicyThatIsDeletedInTheMiddleOfAPlanLoosensNoHold() {
        MoveTask.Limits limits = limits("20ms", true, Policies.specOf(Optional.empty()));

        assertThat(limits.writeHoldBudget()).isEqualTo(Duration.ofMillis(20));
        assertThat(limits.drainTimeout()).as("a part of the hold").isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void aPolicyThatIsChangedIsObeyedByTheMovesOfItsPlan() {
        assertThat(limits("20ms", true, policy("50ms")).writeHoldBudget()).isEqualTo(Duration.ofMillis(50));
        assertThat(limits("20ms", true, policy("50ms")).drainTimeout()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void aMoveMadeByHandGoesByItsOwnBudgetAndThenByThePolicy() {
        assertThat(limits("20ms", false, policy("50ms")).writeHoldBudget()).isEqualTo(Duration.ofMillis(20));
        assertThat(limits(null, false, policy("50ms")).writeHoldBudget()).isEqualTo(Duration.ofMillis(50));
        assertThat(limits(null, true, Policies.specOf(Optional.empty())).writeHoldBudget())
                .isEqualTo(Duration.ofMillis(300));
    }
}
