package io.shardwright.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.TwoShardShop;
import io.shardwright.e2e.steps.CrashSite;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.shop.ShardDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Case 1: the operator dies (kill -9 while the step is open) in a phase of one move: the same end, nothing left behind. Each run
 * kills it once, at a step that is drawn; the long one in every phase, and {@link EveryStepE2E} at every step. Every call that a
 * mover makes is met by a death of its own in {@code KillPlanIT} of the dataplane. Last among
 * the stories of its stage: the moves of all of them have ended then, and what is left anywhere is left over.
 */
@ExtendWith(TwoShardShop.class)
@Order(Integer.MAX_VALUE)
public class OperatorCrashE2E {
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

    @Test
    void theOperatorDiesAtAStepOfAMoveAndItEndsAsIfItHadNot(TwoShardShop.Open open) {
        long seed = Long.getLong("deaths.seed", System.nanoTime());
        System.out.println("deaths.seed = " + seed);
        String step = STEPS.get(new Random(seed).nextInt(STEPS.size()));
        theMoveEndsAsIfNobodyHadDied(open, List.of(step), new Mortal("mortal", "ds-0", "ds-1", 1, 4));
    }

    @Test
    @Tag("long")
    void theOperatorDiesInEachPhaseAndTheMoveEndsAsIfItHadNot(TwoShardShop.Open open) {
        theMoveEndsAsIfNobodyHadDied(open, STEPS, new Mortal("mortal-nine-times", "ds-1", "ds-0", 9, 11));
    }

    /** The move that has to live through it. */
    private record Mortal(String name, String from, String to, int... buckets) {}

    private void theMoveEndsAsIfNobodyHadDied(TwoShardShop.Open open, List<String> deaths, Mortal move) {
        // given a live shop and an operator that can be stopped at a step
        Shop shop = open.shop();
        CrashSite site = open.site();

        // when the operator is killed at these steps of a move
        System.out.println("killed at " + deaths);
        site.arm(deaths.get(0));
        shop.move(move.name(), move.from(), move.to(), move.buckets());
        for (int death = 0; death < deaths.size(); death++) {
            site.killThere(deaths.get(death));
            site.arm(death + 1 < deaths.size() ? deaths.get(death + 1) : "");
        }

        // then the move ends as if nothing had happened, and so do those of other stories
        shop.awaitPhase(move.name(), Duration.ofSeconds(180), "Succeeded");
        open.stage().await("all moves to have succeeded", Shop.SOON, shop::allMovesSucceeded);
        for (int bucket : move.buckets()) {
            assertThat(shop.owner(bucket)).isEqualTo(move.to());
        }
        AuditReport audit = shop.audit(open.load(), LedgerAudit.Copies.NONE);
        assertThat(audit.findings()).isEmpty();
        assertThat(audit.acknowledged()).isPositive();
        assertThat(open.stage().truth().leftovers(ShardDatabase.DATABASE, Duration.ofSeconds(10)))
                .isEmpty();
        // and the application saw nothing but refusals, while a fenced bucket waited for the next operator
        assertThat(open.load().counters().applicationErrors().byState().keySet())
                .isSubsetOf("SH409");
    }
}
