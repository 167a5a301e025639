package io.shardwright.dataplane.postgres.move.switchover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.move.apply.Samples;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HoldPredictionTest {
    private static final Duration DRAIN = Duration.ofMillis(150);

    @Test
    void withoutMeasurementsThereIsNoPrediction() {
        assertThat(HoldPrediction.of(new Samples(), 0, DRAIN)).isEmpty();
    }

    @Test
    void oneKindOfMeasurementIsNotEnough() {
        Samples samples = new Samples();
        for (int i = 0; i < 60; i++) {
            samples.transactionAge(1);
        }
        assertThat(HoldPrediction.of(samples, 0, DRAIN)).isEmpty();
    }

    @Test
    void thePartsAddUp() {
        HoldPrediction prediction = new HoldPrediction(1, 2, 3, 4, 5);
        assertThat(prediction.totalMs()).isEqualTo(15);
        assertThat(prediction).hasToString("15.0 ms (drain 1.0, fence 2.0, hop 3.0, tail 4.0, activation 5.0)");
    }
}
