package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.demo.Claims;
import io.shardwright.e2e.demo.HotKeyChapter;
import io.shardwright.e2e.demo.Narrator;
import io.shardwright.e2e.demo.PlayedDemo;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopLayout;
import org.junit.jupiter.api.Tag;
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
            PlayedDemo played = PlayedDemo.withoutTheHotKey(stage, new Narrator(System.out, false));
            // then everything that the demo claims holds
            assertThat(Claims.broken(played.report(), played.result(), stage)).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void aTenantThatIsWrittenHardIsFoundIsolatedAndTakenHomeMeanwhile() {
        // given four shards with data, and a database for a Dedicated one
        try (Stage stage = Stage.builder()
                .layout(new ShopLayout(100, 4, 4, 10))
                .spares(1)
                .dedicated(HotKeyChapter.DEDICATED)
                .start()) {
            // when the demo is played with all of its chapters
            PlayedDemo played = PlayedDemo.allChapters(stage, new Narrator(System.out, false));
            // then everything that it claims holds
            assertThat(Claims.broken(played.report(), played.result(), stage)).isEmpty();
        }
    }
}
