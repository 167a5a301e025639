package io.shardwright.controllers.shardpolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The moves of a plan are made once, whoever makes them and however often. */
class PlanExecutorIT {
    private static final Plan PLAN = new Plan(
            "f".repeat(64),
            null,
            List.of(
                    new PlannedMove("ds-0", "ds-4", List.of(1, 2), null),
                    new PlannedMove("ds-1", "ds-4", List.of(7), null)),
            null,
            null,
            null,
            null,
            List.of());

    @Test
    void twoPassesAtTheSameTimeMakeEachMoveOnce() throws Exception {
        Shop shop = new Shop(ApiServer.get(), "plan-race");
        ShardPolicy policy = policy(shop);
        try (KubernetesClient client = ApiServer.get().operatorClient();
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> passes = java.util.stream.IntStream.range(0, 4)
                    .<Future<?>>mapToObj(
                            i -> threads.submit(() -> new PlanExecutor(client).create(policy, PLAN, Set.of())))
                    .toList();
            for (Future<?> pass : passes) {
                pass.get();
            }
        }

        assertThat(shop.moves())
                .extracting(move -> move.getMetadata().getName())
                .containsExactly("orders-ffffffff-ds-0-ds-4", "orders-ffffffff-ds-1-ds-4");
    }

    @Test
    void aMoveOfThatNameWithAnotherContentIsNotTakenForItsOwn() {
        Shop shop = new Shop(ApiServer.get(), "plan-clash");
        ShardPolicy policy = policy(shop);
        shop.move("orders-ffffffff-ds-0-ds-4", "ds-0", "ds-4", 3);
        try (KubernetesClient client = ApiServer.get().operatorClient()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> new PlanExecutor(client).create(policy, PLAN, Set.of()))
                    .withMessageContaining("orders-ffffffff-ds-0-ds-4 exists with another content");
        }
        assertThat(shop.moves()).hasSize(1);
    }

    private static ShardPolicy policy(Shop shop) {
        shop.policy("orders", "Propose", "");
        return shop.policy("orders");
    }
}
