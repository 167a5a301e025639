package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.demo.Claims;
import io.shardwright.e2e.demo.DemoReport;
import io.shardwright.e2e.demo.MainJob;
import io.shardwright.e2e.demo.MainJobResult;
import io.shardwright.e2e.demo.Narrator;
import io.shardwright.e2e.demo.ReversalChapter;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopLayout;
import org.junit.jupiter.api.Test;

/**
 * Scenarios 1 and 11, case 25: 100 buckets on four live shards become 100 buckets on five, under load; and a move is reversed after
 * its switch, with writes on the target. It is the demo, on smaller tables.
 */
class FiveShardsE2E {
    @Test
    void movesExactlyTwentyBucketsUnderLoadTakesOneMoveBackAndLosesNothing() {
        // given four shards with data
        try (Stage stage =
                Stage.builder().layout(new ShopLayout(100, 4, 4, 10)).spares(1).start()) {
            // when a fifth is added, its plan approved, the buckets have been switched, and one more move is taken back
            var narrator = new Narrator(System.out, false);
            var reversal = new ReversalChapter(stage, narrator);
            MainJobResult result = new MainJob(stage, narrator).run(reversal::play);
            // then everything that the demo claims holds
            DemoReport report = result.report(reversal.told());
            assertThat(Claims.broken(report, result, stage)).isEmpty();
        }
    }
}
