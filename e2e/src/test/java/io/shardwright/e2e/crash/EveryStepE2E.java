package io.shardwright.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.steps.CrashSite;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Case 1, scenario 9: the operator is killed at every named step of a move, and the end is the same. The steps are learned from an
 * undisturbed move, so one that is added later is killed too. Long, because every death in the cleanup costs the minute that
 * a new leader waits before it deletes; {@link OperatorCrashE2E} has fewer deaths.
 */
@Tag("long")
class EveryStepE2E {
    private static final Duration MOVE_LIMIT = Duration.ofMinutes(4);

    @TempDir
    private Path directory;

    @Test
    void theOperatorDiesAtEveryNamedStepAndTheMoveEndsAsTheUndisturbedOne() {
        try (Stage stage =
                Stage.builder().layout(new ShopLayout(16, 2, 4, 10)).spares(0).start()) {
            // given a live shop, and the steps that a move goes through when nobody disturbs it
            var shop = new Shop(stage);
            var site = new CrashSite(stage, directory);
            site.start();
            stage.applyTopology(2).orThrow();
            shop.awaitReady();
            LiveLoad load = LiveLoad.start(stage, new LiveLoad.Shape(1, 1, 60));
            int ofTheCluster = site.trace().size();
            shop.move("undisturbed", "ds-0", "ds-1", 2, 4);
            shop.awaitPhase("undisturbed", MOVE_LIMIT, "Succeeded");
            List<String> steps = site.openedSince(ofTheCluster);
            assertThat(steps).contains("before:COPY", "before:FENCE_SOURCE", "before:DELETE_SOURCE_ROWS");

            // when the operator is killed at each of them in a move of the same shape
            site.arm(steps.get(0));
            shop.move("mortal", "ds-0", "ds-1", 1, 3);
            for (int death = 0; death < steps.size(); death++) {
                site.killThere(steps.get(death));
                site.arm(death + 1 < steps.size() ? steps.get(death + 1) : "");
            }

            // then it ends as the other one did
            shop.awaitPhase("mortal", MOVE_LIMIT, "Succeeded");
            load.stop();
            System.out.println("killed at " + steps.size() + " steps: " + steps);
            for (int bucket : new int[] {1, 2, 3, 4}) {
                assertThat(shop.owner(bucket)).isEqualTo("ds-1");
            }
            AuditReport audit = shop.audit(load, LedgerAudit.Copies.NONE);
            assertThat(audit.findings()).isEmpty();
            assertThat(audit.acknowledged()).isPositive();
            assertThat(stage.truth().leftovers(ShardDatabase.DATABASE, Duration.ofSeconds(10)))
                    .isEmpty();
            assertThat(load.counters().applicationErrors().byState().keySet()).isSubsetOf("SH409");
        }
    }
}
