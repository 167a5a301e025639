package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Stops every thread that comes to the step until it is thawed, as SIGSTOP would. */
final class Freezing implements StepBoundary {
    private final MoverStep step;
    private final CountDownLatch frozen = new CountDownLatch(1);
    private final CountDownLatch thawed = new CountDownLatch(1);
    private volatile boolean armed;

    Freezing(MoverStep step) {
        this(step, true);
    }

    private Freezing(MoverStep step, boolean armed) {
        this.step = step;
        this.armed = armed;
    }

    /** Lets everything pass until {@link #arm()}. */
    static Freezing later(MoverStep step) {
        return new Freezing(step, false);
    }

    void arm() {
        armed = true;
    }

    @Override
    public void before(Enum<?> reached, UUID moveId) {
        if (armed && reached == step) {
            frozen.countDown();
            await(thawed);
        }
    }

    @Override
    public void done(Enum<?> reached, UUID moveId) {}

    void awaitFrozen() {
        await(frozen);
    }

    void thaw() {
        thawed.countDown();
    }

    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("waited 60 s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
