package io.shardwright.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.e2e.shop.Shop;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Case 1: the operator dies (kill -9 while the step is open) in a phase of one move: the same end, nothing left behind. Each run
 * kills it once, at a step that is drawn; the long one in every phase, and {@link EveryStepE2E} at every step. Every call that a
 * mover makes is met by a death of its own in {@code KillPlanIT} of the dataplane.
 */
class OperatorCrashE2E {
    /** One open step in each phase, in the order in which a move goes through them. */
    private static final List<String> STEPS = List.of(
            "before:VALIDATE",
            "before:MARK_IMPORTING",
            "before:COPY",
            "before:VERIFY",
            "before:ANNOUNCE",
            "done:FENCE_SOURCE",
            "done:ACTIVATE_TARGET",
            "before:PUBLISH_TO_WEB",
            "before:FOLD");

    @TempDir
    private Path directory;

    @Test
    void theOperatorDiesAtAStepOfAMoveAndItEndsAsIfItHadNot() {
        long seed = Long.getLong("deaths.seed", System.nanoTime());
        System.out.println("deaths.seed = " + seed);
        theMoveEndsAsIfNobodyHadDied(List.of(STEPS.get(new Random(seed).nextInt(STEPS.size()))));
    }

    @Test
    @Tag("long")
    void theOperatorDiesInEachPhaseAndTheMoveEndsAsIfItHadNot() {
        theMoveEndsAsIfNobodyHadDied(STEPS);
    }

    private void theMoveEndsAsIfNobodyHadDied(List<String> deaths) {
        try (Stage stage =
                Stage.builder().layout(new ShopLayout(16, 2, 4, 10)).spares(0).start()) {
            // given a live shop and an operator that can be stopped at a step
            var shop = new Shop(stage);
            var site = new CrashSite(stage, directory);
            site.start();
            stage.applyTopology(2).orThrow();
            shop.awaitReady();
            LiveLoad load = LiveLoad.start(stage, new LiveLoad.Shape(1, 1, 60));

            // when the operator is killed at these steps of a move
            System.out.println("killed at " + deaths);
            site.arm(deaths.get(0));
            shop.move("mortal", "ds-0", "ds-1", 2, 4);
            for (int death = 0; death < deaths.size(); death++) {
                site.killThere(deaths.get(death));
                site.arm(death + 1 < deaths.size() ? deaths.get(death + 1) : "");
            }

            // then the move ends as if nothing had happened
            shop.awaitPhase("mortal", Duration.ofSeconds(180), "Succeeded");
            load.stop();
            assertThat(shop.owner(2)).isEqualTo("ds-1");
            assertThat(shop.owner(4)).isEqualTo("ds-1");
            AuditReport audit = shop.audit(load, LedgerAudit.Copies.NONE);
            assertThat(audit.findings()).isEmpty();
            assertThat(audit.acknowledged()).isPositive();
            assertThat(stage.truth().leftovers(ShardDatabase.DATABASE, Duration.ofSeconds(10)))
                    .isEmpty();
            // and the application saw nothing but refusals, while a fenced bucket waited for the next operator
            assertThat(load.counters().applicationErrors().byState().keySet()).isSubsetOf("SH409");
        }
    }
}
