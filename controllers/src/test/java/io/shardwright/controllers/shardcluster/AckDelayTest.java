package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.planning.acks.AckCount;
import io.shardwright.planning.acks.AckGate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a router that has not acknowledged is named. */
class AckDelayTest {
    private static final ResourceID ORDERS = new ResourceID("orders", "shop");
    private static final AckGate.Holder WEB = new AckGate.Holder("web-0 (web)", "silent");
    private static final Optional<AckGate> CLOSED = Optional.of(new AckGate(Map.of(), Map.of(), List.of(WEB), true));
    private static final Optional<AckGate> OPEN = Optional.of(new AckGate(Map.of(), Map.of(), List.of(), true));

    private Duration now = Duration.ofDays(1);
    private final AckDelay delay = new AckDelay(() -> now.toNanos());

    private List<AckGate.Holder> after(Duration time, Optional<AckGate> gate) {
        now = now.plus(time);
        return delay.overdue(ORDERS, gate);
    }

    @Test
    void namesWhoeverHoldsForAsLongAsASilentRouterWouldNeedToBeCalledSilent() {
        assertThat(after(Duration.ZERO, CLOSED)).isEmpty();
        assertThat(after(AckCount.SILENT_AFTER.minusMillis(1), CLOSED)).isEmpty();
        assertThat(after(Duration.ofMillis(1), CLOSED)).containsExactly(WEB);
    }

    @Test
    void anOpenGateAndAnUnknownOneBeginTheTimeAgain() {
        for (Optional<AckGate> other :
                List.of(OPEN, Optional.of(AckGate.unknown("listing")), Optional.<AckGate>empty())) {
            after(Duration.ZERO, CLOSED);
            assertThat(after(AckCount.SILENT_AFTER, other)).isEmpty();
            assertThat(after(Duration.ZERO, CLOSED)).isEmpty();
        }
    }
}
