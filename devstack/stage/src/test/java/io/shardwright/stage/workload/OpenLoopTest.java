package io.shardwright.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OpenLoopTest {
    private static final int WANTED = 50;

    private final List<Instant> intended = new CopyOnWriteArrayList<>();
    private final CountDownLatch many = new CountDownLatch(WANTED);

    @Test
    void aStalledOperationDelaysNoOther() throws InterruptedException {
        CountDownLatch stall = new CountDownLatch(1);
        OpenLoop loop = new OpenLoop(500, Duration.ZERO, time -> {
            intended.add(time);
            many.countDown();
            if (intended.get(0).equals(time)) {
                await(stall);
            }
        });
        loop.start();
        assertThat(many.await(30, TimeUnit.SECONDS)).as("the others went on").isTrue();
        stall.countDown();
        assertThat(loop.stop(Duration.ofSeconds(30))).isTrue();
        List<Instant> times = intended.stream().sorted().toList();
        for (int i = 1; i < times.size(); i++) {
            assertThat(Duration.between(times.get(i - 1), times.get(i)))
                    .as("the rate is kept")
                    .isEqualTo(Duration.ofMillis(2));
        }
    }

    @Test
    void theRateGrowsWithinTheRamp() throws InterruptedException {
        OpenLoop loop = new OpenLoop(500, Duration.ofMillis(400), time -> {
            intended.add(time);
            many.countDown();
        });
        loop.start();
        assertThat(many.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(loop.stop(Duration.ofSeconds(30))).isTrue();
        List<Instant> times = intended.stream().sorted().toList();
        Duration first = Duration.between(times.get(0), times.get(1));
        Duration last = Duration.between(times.get(WANTED - 2), times.get(WANTED - 1));
        assertThat(first).isGreaterThan(last.multipliedBy(2));
    }

    @Test
    void anEndThatIsNotReachedInTimeIsSaid() throws InterruptedException {
        CountDownLatch stall = new CountDownLatch(1);
        OpenLoop loop = new OpenLoop(500, Duration.ZERO, time -> {
            many.countDown();
            await(stall);
        });
        loop.start();
        assertThat(many.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(loop.stop(Duration.ofMillis(1))).isFalse();
        stall.countDown();
    }

    @Test
    @Timeout(60)
    void aSlowLoopBeginsAtOnceAndEndsWithoutWaitingForItsNextTurn() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        OpenLoop loop = new OpenLoop(1.0 / 3_600, Duration.ZERO, time -> begun.countDown());
        loop.start();
        assertThat(begun.await(30, TimeUnit.SECONDS)).as("the first turn").isTrue();
        assertThat(loop.stop(Duration.ofSeconds(30))).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
