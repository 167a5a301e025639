package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stream has ended because its rows differ, and says so: what that means for the mover that it was of, and for the next. */
class LateStreamIT {
    private static final int BUCKET = 17;

    private MovePair pair;
    private MoveTask task;

    @BeforeEach
    void preparePair() {
        pair = MovePair.upwards();
        task = pair.task(BUCKET);
        pair.here.plant(insert(1));
    }

    private static String insert(int id) {
        return "INSERT INTO orders VALUES (" + ShopDatabase.keyIn(BUCKET) + ", " + id + ", 'row')";
    }

    /** A key change finds no row to change. */
    private void diverge() {
        pair.there.plant("DELETE FROM orders WHERE tenant_id = " + ShopDatabase.keyIn(BUCKET));
        pair.here.plant("UPDATE orders SET id = 2 WHERE tenant_id = " + ShopDatabase.keyIn(BUCKET));
    }

    private String position() {
        return pair.there.value("SELECT position::text FROM shardwright.move_progress");
    }

    /** Stops the applier that has ended where it says so first. */
    private static final class Late implements Runnable {
        private final AtomicReference<Thread> applier = new AtomicReference<>();
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);

        @Override
        public void run() {
            if (Thread.currentThread().getName().startsWith("applier ")
                    && applier.compareAndSet(null, Thread.currentThread())) {
                stopped.countDown();
                Freezing.await(goesOn);
            }
        }

        void letItEnd() throws InterruptedException {
            goesOn.countDown();
            applier.get().join();
        }
    }

    @Test
    void aStreamWhoseRowsDifferForgetsThePositionOfItsOwnMover() {
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE);
            diverge();

            assertThat(mover.await("its end", report -> report.failure().isPresent())
                            .failure()
                            .orElseThrow()
                            .kind())
                    .isEqualTo(Kind.DIVERGED);
            assertThat(position()).isNull();
        }
    }

    @Test
    void aStreamThatSpeaksAfterTheNextMoverHasBegunChangesNothing() throws InterruptedException {
        Late late = new Late();
        try (MoverDriver mover = MoverDriver.listenedTo(task, late)) {
            mover.done(Command.PREPARE);
            diverge();
            Freezing.await(late.stopped);
            pair.there.plant(insert(1)); // else the next stream ends at the same row
            mover.done(Command.PREPARE);

            late.letItEnd();

            assertThat(position()).isNotBlank();
            pair.here.plant(insert(3));
            assertThat(mover.done(Command.VERIFY).stage()).isEqualTo(Stage.VERIFIED);
            assertThat(MovePair.rows(pair.there, "orders", BUCKET)).isEqualTo(2);
        }
    }
}
