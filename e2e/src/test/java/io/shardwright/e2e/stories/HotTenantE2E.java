package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.PlannedMove;
import io.shardwright.e2e.demo.PlanDesk;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.e2e.shop.Shop;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Scenario 2: a tenant that burns its shard gets one for itself while it is written, and comes home when its pin is removed.
 * Long, for it waits twice for the minute before rows are deleted; {@code PinsInTheRoomIT} of the controllers and {@code KeyMoveIT} of the
 * dataplane go the same ways in every run.
 */
@Tag("long")
class HotTenantE2E {
    private static final Duration MOVED = Duration.ofMinutes(4);
    private static final String HOME = "ds-0";
    private static final String DEDICATED = "ds-hot";
    private static final int BUCKET = 1;

    @Test
    void aPinnedTenantIsWrittenOnItsOwnShardAndComesHomeWithEverything() {
        // given two General shards and a Dedicated one, and a tenant that is written more than all others
        try (Stage stage = Stage.builder()
                .layout(new ShopLayout(8, 2, 2, 10))
                .spares(0)
                .dedicated(DEDICATED)
                .start()) {
            Shop shop = new Shop(stage);
            PlanDesk desk = new PlanDesk(stage);
            long hot = stage.layout().tenantsByBucket().get(BUCKET).get(0);
            LiveLoad load = writtenShop(shop, desk, hot);
            String tenant = Long.toString(hot);

            // when a tenant of it is pinned, and the plan is approved by its hash
            pin(desk, "[{\"key\":\"" + tenant + "\",\"shard\":\"" + DEDICATED + "\"}]");
            run(stage, desk, new PlannedMove(HOME, DEDICATED, null, List.of(tenant)));

            // then the key alone is there, its bucket is where it was, and the statuses say so
            assertThat(stage.truth().ownersOfKeys()).containsExactly(Map.entry(tenant, DEDICATED));
            assertThat(shop.owner(BUCKET)).isEqualTo(HOME);
            assertThat(rows(stage, HOME, tenant)).isZero();
            assertThat(desk.policy().getStatus().hotKeys())
                    .extracting(HotKey::key, HotKey::shard)
                    .containsExactly(Tuple.tuple(tenant, DEDICATED));
            stage.await(
                    "the Dedicated shard to count it",
                    Shop.SOON,
                    () -> shop.cluster().getStatus().shards().get(DEDICATED).pins() != null);
            nothingIsLost(shop, load);

            // when it is no longer written so, the pin is removed, and that plan is approved
            load.writeHard(List.of());
            pin(desk, "[]");
            run(stage, desk, new PlannedMove(DEDICATED, HOME, null, List.of(tenant)));

            // then it lives with its bucket again, and nothing of the journey is left
            assertThat(desk.policy().getStatus().hotKeys()).isEmpty();
            assertThat(stage.truth().keyRows()).isEmpty();
            load.stop();
            nothingIsLost(shop, load);
            assertThat(stage.truth().leftovers(ShardDatabase.DATABASE, Duration.ofSeconds(10)))
                    .isEmpty();
        }
    }

    private static LiveLoad writtenShop(Shop shop, PlanDesk desk, long tenant) {
        Stage stage = shop.stage();
        stage.startOperator();
        stage.applyTopologyWithDedicated(2).orThrow();
        desk.applyPolicy("0s");
        shop.awaitReady();
        LiveLoad load = LiveLoad.start(stage, new LiveLoad.Shape(1, 1, 40));
        load.writeHard(List.of(tenant));
        return load;
    }

    /** Waits for the plan of this move, approves it, and waits until all is done and nothing else is wanted. */
    private static void run(Stage stage, PlanDesk desk, PlannedMove move) {
        ShardPolicyStatus.Plan plan = desk.proposed();
        assertThat(plan.moves()).containsExactly(move);
        desk.approve(plan);
        stage.await("the plan to be done", MOVED, () -> {
            ShardPolicy policy = desk.policy();
            return policy.getStatus().plan() == null
                    && policy.getMetadata()
                            .getGeneration()
                            .equals(policy.getStatus().observedGeneration());
        });
    }

    private static void pin(PlanDesk desk, String pins) {
        desk.change("{\"spec\":{\"hotKeys\":{\"pins\":" + pins + "}}}");
    }

    private static void nothingIsLost(Shop shop, LiveLoad load) {
        AuditReport audit = shop.audit(load, LedgerAudit.Copies.NONE);
        assertThat(audit.findings()).isEmpty();
        assertThat(audit.acknowledged()).isPositive();
        assertThat(load.counters().applicationErrors().total()).isZero();
    }

    private static long rows(Stage stage, String shard, String tenant) {
        return Long.parseLong(stage.shard(shard)
                .query("SELECT count(*) FROM orders WHERE tenant_id = " + tenant)
                .get(0)
                .get(0));
    }
}
