package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ends a mover at one boundary, as a crash would: sessions and threads are gone, nothing is undone. */
final class DyingMover implements StepBoundary {
    private final MoverStep step;
    private final boolean before;
    private final CountDownLatch dead = new CountDownLatch(1);
    private volatile MoverDriver mover;

    DyingMover(MoverStep step, boolean before) {
        this.step = step;
        this.before = before;
    }

    void kills(MoverDriver victim) {
        mover = victim;
    }

    /** The step must have been reached, or the test proves nothing. */
    void awaitDeath() {
        try {
            if (!dead.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("the mover never came to " + step);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void before(Enum<?> reached, UUID moveId) {
        if (before) {
            die(reached);
        }
    }

    @Override
    public void done(Enum<?> reached, UUID moveId) {
        if (!before) {
            die(reached);
        }
    }

    private void die(Enum<?> reached) {
        if (reached == step && mover != null && dead.getCount() > 0) {
            try {
                mover.kill();
            } finally {
                dead.countDown();
            }
        }
    }
}
