package io.shardwright.dataplane.postgres.move.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.servers.Eventually;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No look and no waking up between the beginning of a hold and its end. */
@Timeout(60)
class TurnsTest {
    private final Turns turns = new Turns();
    private final AtomicInteger looks = new AtomicInteger();
    private final CountDownLatch lookEnds = new CountDownLatch(1);
    private Thread other;

    private interface Work {
        void run() throws InterruptedException;
    }

    private void start(Work work) {
        other = Thread.ofPlatform().daemon().start(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void awaitState(Thread.State state) {
        Eventually.until(
                "the thread to be " + state,
                Duration.ofSeconds(30),
                () -> other.getState() == state,
                () -> other.getState().toString());
    }

    private void lookAt(long due) throws InterruptedException {
        turns.take(due);
        looks.incrementAndGet();
        lookEnds.await();
        turns.giveBack();
    }

    private static long inAnHour() {
        return System.nanoTime() + Duration.ofHours(1).toNanos();
    }

    @AfterEach
    void stop() {
        lookEnds.countDown();
        other.interrupt();
    }

    @Test
    void whoWaitsForHisTimeWakesByTheClock() {
        start(() -> lookAt(inAnHour()));
        awaitState(Thread.State.TIMED_WAITING);
        assertThat(looks).hasValue(0);
    }

    @Test
    void whoseTimeHasComeInAHoldWaitsWithoutAClockAndLooksAfterIt() throws InterruptedException {
        turns.hold();
        start(() -> lookAt(System.nanoTime()));
        awaitState(Thread.State.WAITING);
        assertThat(looks).hasValue(0);

        turns.release();

        Eventually.until("a look", () -> looks.get() == 1);
    }

    /** He waited by the clock before; it would wake him in the hold. */
    @Test
    void whoWaitsForHisTimeLeavesTheClockWhenAHoldBegins() throws InterruptedException {
        start(() -> lookAt(inAnHour()));
        awaitState(Thread.State.TIMED_WAITING);

        turns.hold();

        awaitState(Thread.State.WAITING);
        assertThat(looks).hasValue(0);
    }

    @Test
    void aHoldBeginsWhenTheLookThatRunsHasEnded() throws InterruptedException {
        turns.take(System.nanoTime());
        CountDownLatch held = new CountDownLatch(1);
        start(() -> {
            turns.hold();
            held.countDown();
        });
        awaitState(Thread.State.WAITING);
        assertThat(held.getCount()).isOne();

        turns.giveBack();

        held.await();
    }

    /** Writes wait for what is fenced; a look at a server that does not answer may take ten seconds. */
    @Test
    void aHoldThatCannotWaitBeginsBesideTheLookThatRuns() throws InterruptedException {
        turns.take(System.nanoTime());

        turns.holdNow();

        start(() -> lookAt(System.nanoTime()));
        awaitState(Thread.State.WAITING);
        assertThat(looks).hasValue(0);
        turns.giveBack();
        turns.release();
        Eventually.until("a look", () -> looks.get() == 1);
    }

    @Test
    void aHoldThatNobodyWaitsForAnyMoreIsNotOpen() throws InterruptedException {
        turns.take(System.nanoTime());
        start(turns::hold);
        awaitState(Thread.State.WAITING);
        other.interrupt();
        other.join();

        start(() -> lookAt(System.nanoTime()));
        Eventually.until("a look", () -> looks.get() == 1);
    }
}
