package io.shardwright.controllers.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class PassFaultsTest {
    @Test
    void anErrorBecomesAnExceptionThatTheFrameworkRetries() {
        Error error = new NoClassDefFoundError("io/shardwright/Gone");

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> PassFaults.retriable(() -> {
                    throw error;
                }))
                .withMessageContaining("io/shardwright/Gone")
                .withCause(error);
    }

    @Test
    void anythingElseIsPassedOn() {
        assertThat(PassFaults.retriable(() -> 4)).isEqualTo(4);
        assertThatExceptionOfType(ArithmeticException.class)
                .isThrownBy(() -> PassFaults.retriable(() -> {
                    throw new ArithmeticException();
                }));
    }
}
