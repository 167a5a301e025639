package io.shardwright.controllers.routers;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AckStoreTest {
    private static final ResourceID ORDERS = new ResourceID("orders", "shop");

    private final AckStore store = new AckStore();
    private final List<ResourceID> news = new ArrayList<>();

    AckStoreTest() {
        store.onNews(news::add);
    }

    private boolean accept(String boot, long sequence, long revision, int second) {
        return store.accept("shop", "orders", ack("pod-1", boot, sequence, "p1", revision), seconds(second));
    }

    private static Acknowledgement ack(String instance, String boot, long sequence, String process, long revision) {
        return new Acknowledgement(
                instance, boot, "web-0", Role.WEB, sequence, process, 1, revision, revision, revision, "d", null,
                "test");
    }

    private static long seconds(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    private long revision() {
        return store.heard(ORDERS).processes().get(0).ack().appliedRevision();
    }

    @Test
    void keepsTheNewestOfAProcessAndDropsWhatWasOvertaken() {
        assertThat(accept("a", 2, 7, 0)).isTrue();
        assertThat(accept("a", 1, 6, 1)).isFalse();
        assertThat(accept("a", 2, 8, 2)).isFalse();

        assertThat(revision()).isEqualTo(7);
        assertThat(accept("a", 3, 8, 3)).isTrue();
        assertThat(revision()).isEqualTo(8);
    }

    @Test
    void aNewBootVoidsTheOldOneForGood() {
        accept("old", 50, 9, 0);

        assertThat(accept("new", 1, 0, 1)).isTrue();
        assertThat(accept("old", 51, 10, 2)).isFalse();

        assertThat(revision()).isZero();
        assertThat(store.heard(ORDERS).lastInterruption()).hasValue(seconds(1));
    }

    @Test
    void countsProcessesOfAPodOneByOne() {
        store.accept("shop", "orders", ack("pod-1", "a", 1, "p1", 1), 0);
        store.accept("shop", "orders", ack("pod-1", "b", 1, "p2", 1), 0);

        assertThat(store.heard(ORDERS).processes()).hasSize(2);
    }

    @Test
    void tellsNewsButNotHeartbeats() {
        accept("a", 1, 1, 0);
        accept("a", 2, 1, 10);
        accept("a", 3, 2, 20);

        assertThat(news).hasSize(2);
    }

    @Test
    void aProcessThatIsHeardAfterASilenceInterruptsWhatMustBeContinuous() {
        accept("a", 1, 1, 0);
        accept("a", 2, 1, 29);
        assertThat(store.heard(ORDERS).lastInterruption()).isEmpty();

        accept("a", 3, 1, 60);

        assertThat(store.heard(ORDERS).lastInterruption()).hasValue(seconds(60));
        assertThat(news).hasSize(2);
    }

    @Test
    void aFrozenRouterStaysKnownAndLateWordsOfADepartedPodAreForgotten() {
        accept("a", 1, 1, 0);
        store.accept("shop", "orders", ack("pod-2", "b", 1, "p1", 1), seconds(0));
        store.departed("shop", "pod-2");
        store.accept("shop", "orders", ack("pod-2", "b", 2, "p1", 1), seconds(1));

        store.accept("shop", "orders", ack("pod-3", "c", 1, "p1", 1), seconds(3600));

        assertThat(store.heard(ORDERS).processes())
                .extracting(one -> one.ack().instance())
                .containsExactly("pod-1", "pod-3");
    }

    @Test
    void whatADepartedPodSaidCountsNoMoreAndWhoeverSpeaksForItIsHeardAgain() {
        accept("a", 1, 1, 0);

        store.departed("shop", "pod-1");
        assertThat(store.heard(ORDERS).processes()).isEmpty();
        store.departed("elsewhere", "pod-1");

        accept("a", 2, 1, 1);
        assertThat(store.heard(ORDERS).processes()).hasSize(1);
    }
}
