package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardwright.controllers.world.FakeLeftovers;
import io.shardwright.controllers.world.FakeMovers;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.dataplane.StepBoundary;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PatientRetryTest {
    @Test
    void isStillTriedAfterTwentyFailuresAndNeverMoreThanAMinuteApart() {
        var execution = new PatientRetry().initExecution();
        List<Long> delays = new ArrayList<>();
        for (int failure = 1; failure <= 1_000; failure++) {
            delays.add(execution.nextDelay().orElseThrow());
            assertThat(execution.isLastAttempt()).isFalse();
        }

        assertThat(delays.get(0)).isEqualTo(500L);
        assertThat(delays.get(20)).isEqualTo(60_000L);
        assertThat(delays).allMatch(delay -> delay <= 60_000L);
    }

    @Test
    void everyReconcilerOfTheRoomIsPatient() {
        FenceWorld world = new FenceWorld();
        try (ControllerRoom room = new ControllerRoom(
                null,
                world,
                new FakeMovers(world),
                new FakeLeftovers(world),
                StepBoundary.NONE,
                Clock.systemUTC(),
                new SimpleMeterRegistry(),
                () -> {})) {
            assertThat(room.reconcilers())
                    .hasSize(3)
                    .allSatisfy(reconciler -> assertThat(reconciler
                                    .getClass()
                                    .getAnnotation(ControllerConfiguration.class)
                                    .retry())
                            .isEqualTo(PatientRetry.class));
        }
    }
}
