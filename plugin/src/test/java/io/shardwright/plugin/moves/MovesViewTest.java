package io.shardwright.plugin.moves;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.plugin.Golden;
import io.shardwright.plugin.Shop;
import io.shardwright.plugin.text.Format;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MovesViewTest {
    private static final Instant NOW = Instant.parse("2026-03-01T09:07:30Z");

    @Test
    void aMoveTellsHowFarItIsWhomItWaitsForAndWhatIsToBeDone() {
        BucketMove blocked = Shop.move("Run", """
                {phase: Blocked, progress: {rowsCopied: 900, rowsTotal: 1000, lagBytes: 17}, hold: {actualMs: 41.6, predictedMs: 38.2},
                 blockedBy: [{kind: Session, name: pid 4711, since: "2026-03-01T09:06:00Z", reason: open for 90 s}],
                 nextAction: end session 4711 on ds-0}""".replace("\n", " "));
        BucketMove older = Shop.move("Reverse", "{phase: Reversing, reversal: {phase: Switching}}");
        older.getMetadata().setName("orders-0000aaaa-ds-1-ds-4");
        older.getMetadata().setCreationTimestamp("2026-02-28T09:00:00Z");

        Golden.check("moves", MovesView.of("shop", List.of(blocked, older), NOW).text());
    }

    @Test
    void aMoveWithoutAStatusIsPending() {
        Golden.check(
                "moves-pending",
                MovesView.of("shop", List.of(Shop.move("Run", "{}")), NOW).text());
    }

    @Test
    void anEmptyNamespaceSaysSo() {
        assertThat(MovesView.of("shop", List.of(), NOW).text()).isEqualTo("no moves in namespace shop\n");
    }

    @Test
    void programsGetEveryFieldAndNoClock() {
        String json = Format.JSON.of(
                MovesView.of("shop", List.of(Shop.move("Run", "{phase: Copying, hold: {predictedMs: 38.2}}")), NOW));

        assertThat(json)
                .contains("\"namespace\" : \"shop\"", "\"phase\" : \"Copying\"", "\"predictedHoldMs\" : 38.2")
                .doesNotContain("\"now\"", "\"text\"");
    }
}
