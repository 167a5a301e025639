package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventuallyTest {
    @Test
    void asksAgainUntilTheConditionHolds() {
        var asked = new AtomicInteger();

        Eventually.until("three", Duration.ofSeconds(30), () -> asked.incrementAndGet() == 3, () -> "");

        assertThat(asked).hasValue(3);
    }

    @Test
    void saysWhatItWaitedForAndShowsTheEvidence() {
        assertThatThrownBy(() -> Eventually.until("the moon", Duration.ofMillis(60), () -> false, () -> "it is cloudy"))
                .isInstanceOf(Eventually.NotInTimeException.class)
                .hasMessageContaining("the moon")
                .hasMessageContaining("it is cloudy");
    }
}
