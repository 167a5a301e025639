package io.shardwright.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoadOptionsTest {
    @Test
    void everyOptionHasADefaultAndCanBeGiven() {
        assertThat(LoadOptions.parse(List.of())).isEqualTo(new LoadOptions(0, 60, 100, 4, 0.5));
        assertThat(LoadOptions.parse(List.of(
                        "--router",
                        "3",
                        "--rate",
                        "62.5",
                        "--buckets",
                        "16",
                        "--tenants-per-bucket",
                        "2",
                        "--autocommit-share",
                        "1")))
                .isEqualTo(new LoadOptions(3, 62.5, 16, 2, 1));
    }

    @Test
    void whatIsNotUnderstoodIsNamed() {
        assertThatThrownBy(() -> LoadOptions.parse(List.of("--speed", "9"))).hasMessageContaining("--speed");
        assertThatThrownBy(() -> LoadOptions.parse(List.of("--rate"))).hasMessageContaining("value");
        assertThatThrownBy(() -> LoadOptions.parse(List.of("--rate", "0"))).hasMessageContaining("positive");
    }
}
