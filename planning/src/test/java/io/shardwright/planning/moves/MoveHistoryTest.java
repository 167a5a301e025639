package io.shardwright.planning.moves;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random histories: after the faults have ended every move ends too, with an end that is true. */
class MoveHistoryTest {
    @Test
    void everyHistoryEndsWithOneOwnerPerBucketAndNothingLeftOver() {
        runs(1, 300);
    }

    @Test
    @Tag("long")
    void manyMoreHistoriesEndTheSameWay() {
        runs(1_000, 30_000);
    }

    private static void runs(long first, int histories) {
        Map<MovePhase, Integer> ends = new EnumMap<>(MovePhase.class);
        int turned = 0;
        int removed = 0;
        int twice = 0;
        int resynced = 0;
        for (long seed = first; seed < first + histories; seed++) {
            MoveHistory history = new MoveHistory(seed);
            boolean ended;
            try {
                ended = history.run();
            } catch (AssertionError | RuntimeException fault) {
                throw new AssertionError("seed " + seed + ": " + fault.getMessage() + "\n" + history.story(), fault);
            }
            assertThat(ended).as("seed %d ends\n%s", seed, history.story()).isTrue();
            removed += history.removed() ? 1 : 0;
            if (!history.removed()) {
                ends.merge(history.stored(), 1, Integer::sum);
            }
            turned += history.turned() ? 1 : 0;
            twice += history.hadTwoOwners() ? 1 : 0;
            resynced += history.resynced() ? 1 : 0;
        }
        System.out.println("move histories: " + ends + ", turned back " + turned + ", let go by a person " + removed
                + ", with two owners for a while " + twice + ", copied once more behind the fence " + resynced);
        assertThat(ends.keySet())
                .containsExactlyInAnyOrder(
                        MovePhase.SUCCEEDED, MovePhase.REVERSED, MovePhase.ABORTED, MovePhase.FAILED);
        assertThat(removed).isLessThan(histories / 20);
        assertThat(twice).isGreaterThan(histories / 50);
        assertThat(resynced).isGreaterThan(histories / 50);
        assertThat(turned).isGreaterThan(ends.get(MovePhase.REVERSED));
        assertThat(ends.get(MovePhase.SUCCEEDED)).isGreaterThan(histories / 5);
    }
}
