package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.TableOrder;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class OpenGateTest {
    private final OpenGate gate = new OpenGate();

    private Duration at(int second, boolean open, OptionalLong interruption) {
        return gate.note(open, table(1, 7), interruption, seconds(second));
    }

    private static TableOrder table(long incarnation, long revision) {
        return new TableOrder(incarnation, revision, 0);
    }

    private static long seconds(int second) {
        return Duration.ofSeconds(second).toNanos();
    }

    @Test
    void countsFromTheFirstLookAndNeverFromBefore() {
        assertThat(at(100, true, OptionalLong.empty())).isZero();
        assertThat(at(130, true, OptionalLong.empty())).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void beginsAnewAfterItWasShut() {
        at(100, true, OptionalLong.empty());
        assertThat(at(150, false, OptionalLong.empty())).isZero();
        assertThat(at(151, true, OptionalLong.empty())).isZero();
    }

    @Test
    void beginsAnewForANewerRevision() {
        at(100, true, OptionalLong.empty());

        assertThat(gate.note(true, table(1, 8), OptionalLong.empty(), seconds(170)))
                .isZero();
        assertThat(gate.note(true, table(1, 8), OptionalLong.empty(), seconds(175)))
                .isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void beginsAnewForTheSameRevisionOfAnotherIncarnation() {
        at(100, true, OptionalLong.empty());

        assertThat(gate.note(true, table(2, 7), OptionalLong.empty(), seconds(170)))
                .isZero();
    }

    @Test
    void beginsAnewWhenARouterWasSilentWhileNobodyLooked() {
        at(100, true, OptionalLong.empty());

        assertThat(at(150, true, OptionalLong.of(seconds(140)))).isEqualTo(Duration.ofSeconds(10));
    }
}
