package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mover freezes, another one of the same move does the work, the first one wakes up: it changes nothing any more. */
class ZombieIT {
    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            names = {
                "MARK_IMPORTING",
                "DELETE_LEFTOVERS",
                "COPY",
                "MARK_COPIED",
                "APPLY",
                "DRAIN_SOURCE",
                "ACTIVATE_TARGET"
            })
    void aFrozenMoverWakesUpAndItsStepFails(MoverStep step) throws InterruptedException {
        int bucket = step.ordinal();
        long tenant = ShopDatabase.keyIn(bucket);
        pair.here.plant("INSERT INTO orders SELECT " + tenant + ", n, 'row' FROM generate_series(1, 20) n");
        MoveTask task = pair.task(bucket);
        Freezing freezing = new Freezing(step);
        try (MoverDriver zombie = new MoverDriver(task, freezing)) {
            Thread old = Thread.ofPlatform().daemon().start(() -> begin(zombie, task));
            freezing.awaitFrozen();
            try (MoverDriver mover = new MoverDriver(task)) {
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.switchEach(task.buckets());
                freezing.thaw();
                old.join();
                assertThat(zombie.report().failure()).isPresent();
                mover.done(Command.CLEAN_UP);
            }
        }
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.there, "orders", bucket)).isEqualTo(20);
        assertThat(MovePair.rows(pair.here, "orders", bucket)).isZero();
        assertThat(pair.leftovers()).isEmpty();
    }

    private static void begin(MoverDriver zombie, MoveTask task) {
        for (Command command : List.of(Command.PREPARE, Command.VERIFY)) {
            if (zombie.run(command).failure().isPresent()) {
                return;
            }
        }
        zombie.switchGroup(task.buckets());
    }

    /** Stops the first thread that comes to the step, as SIGSTOP would. */
    private static final class Freezing implements StepBoundary {
        private final MoverStep step;
        private final CountDownLatch frozen = new CountDownLatch(1);
        private final CountDownLatch thawed = new CountDownLatch(1);

        Freezing(MoverStep step) {
            this.step = step;
        }

        @Override
        public void before(Enum<?> reached, UUID moveId) {
            if (reached == step) {
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

        private static void await(CountDownLatch latch) {
            try {
                if (!latch.await(60, TimeUnit.SECONDS)) {
                    throw new AssertionError("waited 60 s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
