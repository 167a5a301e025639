package io.shardwright.plugin.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void columnsStandUnderTheirTitlesAndNoLineEndsWithBlanks() {
        assertThat(new TextTable("NAME", "PHASE", "LAG")
                        .row("first", "Copying", "17")
                        .row("the-second", "", "")
                        .toString())
                .isEqualTo("""
                        NAME        PHASE    LAG
                        first       Copying  17
                        the-second
                        """);
    }

    @Test
    void aRowThatDoesNotFitItsTitlesIsAFault() {
        assertThatIllegalArgumentException().isThrownBy(() -> new TextTable("NAME", "PHASE").row("first"));
    }

    @Test
    void neighbouringBucketsAreARunWhateverTheirOrder() {
        assertThat(Buckets.text(List.of(9, 3, 2, 0, 1, 65_535, 8))).isEqualTo("0-3,8-9,65535");
        assertThat(Buckets.text(List.of(7))).isEqualTo("7");
        assertThat(Buckets.text(List.of())).isEmpty();
    }

    @Test
    void anAgeHasItsTwoLargestUnits() {
        assertThat(Ages.text("2026-03-01T11:59:18Z", NOON)).isEqualTo("42s");
        assertThat(Ages.text("2026-03-01T11:53:10Z", NOON)).isEqualTo("6m");
        assertThat(Ages.text("2026-03-01T08:40:00Z", NOON)).isEqualTo("3h20m");
        assertThat(Ages.text("2026-02-27T08:00:00Z", NOON)).isEqualTo("2d4h");
    }

    @Test
    void aClockThatIsBehindMakesNoNegativeAgeAndNoTimeMakesNone() {
        assertThat(Ages.text("2026-03-01T12:00:07Z", NOON)).isEqualTo("0s");
        assertThat(Ages.text(null, NOON)).isEmpty();
    }
}
