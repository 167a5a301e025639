package io.shardwright.controllers.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    @Test
    void cutsOnlyWhatAFieldDoesNotTakeAndSaysThatItDid() {
        assertThat(StatusText.cut("a".repeat(1024))).isEqualTo("a".repeat(1024));
        assertThat(StatusText.cut("a".repeat(1025))).isEqualTo("a".repeat(1021) + "...");
    }

    @Test
    void namesTheFirstAndCountsTheOthers() {
        assertThat(StatusText.first(2, List.of())).isEmpty();
        assertThat(StatusText.first(2, List.of("a", "b"))).isEqualTo("a, b");
        assertThat(StatusText.first(2, List.of("a", "b", "c"))).isEqualTo("a, b and 1 more");
    }
}
