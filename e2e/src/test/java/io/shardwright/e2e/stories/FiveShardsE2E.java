package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.demo.Claims;
import io.shardwright.e2e.demo.DemoReport;
import io.shardwright.e2e.demo.MainJob;
import io.shardwright.e2e.demo.MainJobResult;
import io.shardwright.e2e.demo.Narrator;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopLayout;
import org.junit.jupiter.api.Test;

/** Scenario 1: 100 buckets on four live shards become 100 buckets on five, under load. */
class FiveShardsE2E {
    @Test
    void movesExactlyTwentyBucketsUnderLoadAndLosesNothing() {
        // given four shards with data
        try (Stage stage =
                Stage.builder().layout(new ShopLayout(100, 4, 4, 10)).spares(1).start()) {
            // when a fifth is added, its plan approved, and the moves have ended
            MainJobResult result = new MainJob(stage, new Narrator(System.out, false)).run();
            // then everything that the demo claims holds
            DemoReport report = result.report();
            assertThat(Claims.broken(report, result, stage)).isEmpty();
        }
    }
}
