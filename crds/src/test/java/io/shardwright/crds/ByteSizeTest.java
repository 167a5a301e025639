package io.shardwright.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "50, 50",
        "1Ki, 1024",
        "50Mi, 52428800",
        "500Gi, 536870912000",
        "2Ti, 2199023255552",
        "999999999999999999, 999999999999999999"
    })
    void readsSizesOfSpecs(String text, long bytes) {
        assertThat(ByteSize.parse(text)).isEqualTo(bytes);
    }

    @Test
    void theLargestOfEachUnitIsStillANumber() {
        assertThat(ByteSize.parse("999999Ti")).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0Mi", "-1Gi", "1.5Gi", "50M", "50MB", "50 Mi", "Mi", "1000000Gi"})
    void refusesWhatTheSchemaRefuses(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("50Mi");
    }
}
