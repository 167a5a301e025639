package io.shardwright.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "300ms, PT0.3S",
        "1.5s, PT1.5S",
        "0.25ms, PT0.00025S",
        "1h30m, PT1H30M",
        "1m1s1ms, PT1M1.001S",
        "90m, PT1H30M",
        "0s, PT0S"
    })
    void readsWhatTheApiServerAccepts(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3 days", "-5s", "300", "1d", "", "s", "1.s", "5S"})
    void refusesWhatTheApiServerRefuses(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessageContaining("300ms");
    }

    @ParameterizedTest
    @CsvSource({"10%, 0.1", "2.5%, 0.025", "0%, 0", "100%, 1", "100.0%, 1"})
    void readsShares(String text, double expected) {
        assertThat(Percent.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "101%", "-1%", "100.1%", "%", "1e1%"})
    void refusesWhatIsNoShare(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Percent.parse(text));
    }
}
