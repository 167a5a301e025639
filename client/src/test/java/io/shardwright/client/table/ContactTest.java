package io.shardwright.client.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.Route;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** T6, in virtual time. */
class ContactTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000); // nanoTime may overflow
    private final Contact contact = new Contact(now::get);

    private void passes(long seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void aFreshBootChecksEveryReadUntilItIsConfirmed() {
        assertThat(contact.readsMustCheck("ds-0")).isTrue();
        contact.polled("ds-0", false);
        assertThat(contact.readsMustCheck("ds-0"))
                .as("a poll is no confirmation")
                .isTrue();
        contact.confirmed();
        assertThat(contact.readsMustCheck("ds-0")).isFalse();
    }

    @Test
    void aRouterIsCutOffAfterTwentySecondsOfSilence() {
        passes(19);
        assertThat(contact.cutOff()).isFalse();
        passes(1);
        assertThat(contact.cutOff()).isTrue();
        contact.confirmed();
        passes(19);
        assertThat(contact.cutOff()).isFalse();
        passes(1);
        assertThat(contact.cutOff()).isTrue();
    }

    @Test
    void aShardThatIsPolledIsTrustedForThirtySecondsMore() {
        contact.confirmed();
        passes(25);
        contact.polled("ds-0", false);
        passes(29);
        assertThat(contact.readsMustCheck("ds-0")).isFalse();
        assertThat(contact.readsMustCheck("ds-1"))
                .as("the one that could not be polled")
                .isTrue();
        passes(1);
        assertThat(contact.readsMustCheck("ds-0")).isTrue();
    }

    @Test
    void whereKeysHaveRowsOfTheirOwnARouterThatIsCutOffLooksForItself() {
        Route bucket = new Route("ds-0", 3, 1, Route.Rule.BUCKET);
        Route pin = new Route("ds-hot", 3, 0, Route.Rule.PIN);
        contact.confirmed();
        contact.polled("ds-0", true);
        passes(19);
        assertThat(contact.readsMustCheck(bucket)).isFalse();
        assertThat(contact.readsMustCheck(pin)).isFalse();
        passes(1);
        contact.polled("ds-0", true);
        contact.polled("ds-hot", false);
        assertThat(contact.readsMustCheck(bucket)).isTrue();
        assertThat(contact.readsMustCheck(pin)).isTrue();
        contact.polled("ds-0", false);
        assertThat(contact.readsMustCheck(bucket)).isFalse();
    }
}
