package io.shardwright.operator.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseTimingsTest {
    @ParameterizedTest
    @CsvSource({"PT15S,PT10S,PT2S", "PT6S,PT3S,PT0.5S"})
    void acceptsALeaseThatOutlastsItsLeader(Duration duration, Duration deadline, Duration retry) {
        assertThatCode(() -> new LeaseTimings(duration, deadline, retry)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"PT10S,PT10S,PT2S", "PT10S,PT15S,PT2S", "PT15S,PT2S,PT2S", "PT15S,PT10S,PT0S", "PT0.5S,PT0.4S,PT0.1S"})
    void refusesALeaseThatTwoCouldHold(Duration duration, Duration deadline, Duration retry) {
        assertThatThrownBy(() -> new LeaseTimings(duration, deadline, retry))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lease timings");
    }

    @ParameterizedTest
    @CsvSource({"PT10S,PT2S,PT4S", "PT10S,PT2S,PT3S"})
    void acceptsRequestsOfWhichTwoFitIntoTheDeadline(Duration deadline, Duration retry, Duration request) {
        LeaseTimings timings = new LeaseTimings(deadline.plusSeconds(5), deadline, retry);
        assertThat(timings.withRequestsOfAtMost(request)).isSameAs(timings);
    }

    @ParameterizedTest
    @CsvSource({"PT10S,PT2S,PT4.1S", "PT3S,PT1S,PT3S"})
    void refusesRequestsThatCouldEndAHealthyLeader(Duration deadline, Duration retry, Duration request) {
        LeaseTimings timings = new LeaseTimings(deadline.plusSeconds(5), deadline, retry);
        assertThatThrownBy(() -> timings.withRequestsOfAtMost(request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("raise the deadline");
    }
}
