package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.PostgresServer.Version;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a fenced bucket is taken back although the target has no row of the move, and when that would make two owners. */
class DecisionIT {
    private static final Limits HASTY =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofMillis(500), 1 << 20, 1, false);

    private static MovePair pair;
    private static ShopDatabase third;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
        Integer[] all = IntStream.range(0, 100).boxed().toArray(Integer[]::new);
        third = ShopDatabase.fenced(SharedServers.of(Version.OLDEST), "decision_third", all);
    }

    private static MoveTask onwards(int bucket) {
        return new MoveTask(
                UUID.randomUUID(),
                "orders",
                pair.thereAccess(),
                third.access("ds-7"),
                ShopDatabase.SCHEMA,
                MovePair.set(bucket),
                MoverDriver.PATIENT);
    }

    /** The watchdog of a frozen mover is about to act, and sleeps; the move ends, and the next one takes the bucket on. */
    @Test
    void aWatchdogThatWakesUpAfterTheBucketHasMovedOnTakesNothingBack() {
        pair.here.plant("INSERT INTO orders VALUES (" + ShopDatabase.keyIn(17) + ", 1, 'row')");
        MoveTask task = pair.task(HASTY, 17);
        FrozenPause frozen = new FrozenPause();
        try (MoverDriver zombie = new MoverDriver(task, frozen)) {
            zombie.done(Command.PREPARE, Command.VERIFY);
            zombie.mover().beginSwitch(task.scopes());
            Freezing.await(frozen.watchdogAsleep);
            move(withId(task.moveId(), 17));
            move(onwards(17));
            frozen.watchdogAwake.countDown();
            zombie.await("what the watchdog says", now -> now.failure().isPresent());
            frozen.thaw.countDown();
        }
        assertThat(MovePair.fence(third, 17)).isEqualTo("OWNED 3");
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("MOVED 3");
        assertThat(MovePair.fence(pair.here, 17)).isEqualTo("MOVED 2");
    }

    private static void move(MoveTask task) {
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE);
            if (!mover.report().truth().orElseThrow().target().values().stream()
                    .allMatch(row -> row.state() == FenceState.OWNED)) {
                mover.done(Command.VERIFY);
                mover.switchEach(task.scopes());
            }
            mover.done(Command.CLEAN_UP);
        }
    }

    @ParameterizedTest
    @CsvSource({"30, MOVED, 1", "31, ABORTED, 0"})
    void aFenceWhoseTargetLostItsRowIsTakenBack(int bucket, FenceState state, long epoch) {
        UUID move = fenced(bucket);
        pair.there.setFence(bucket, state, epoch, null, UUID.randomUUID());
        try (MoverDriver mover = new MoverDriver(withId(move, bucket))) {
            mover.done(Command.ABORT);
        }
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("OWNED 3");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("ABORTED 1");
    }

    @ParameterizedTest
    @CsvSource({"40, MOVED, 3", "41, ABORTED, 3", "42, IMPORTING, 0"})
    void aFenceWhoseTargetHasGoneOnIsNot(int bucket, FenceState state, long epoch) {
        UUID move = fenced(bucket);
        pair.there.setFence(bucket, state, epoch, null, UUID.randomUUID());
        try (MoverDriver mover = new MoverDriver(withId(move, bucket))) {
            MoveReport report = mover.run(Command.ABORT);
            assertThat(report.failure()).isPresent();
        }
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo(state + " " + epoch);
    }

    private static UUID fenced(int bucket) {
        UUID move = UUID.randomUUID();
        pair.here.setFence(bucket, FenceState.MOVED, 2, "ds-4", move);
        return move;
    }

    private static MoveTask withId(UUID move, int bucket) {
        MoveTask any = pair.task(bucket);
        return new MoveTask(move, any.cluster(), any.source(), any.target(), any.schema(), any.scopes(), any.limits());
    }

    /** The activation never comes; the watchdog falls asleep before it acts. */
    private static final class FrozenPause implements StepBoundary {
        private final CountDownLatch watchdogAsleep = new CountDownLatch(1);
        private final CountDownLatch watchdogAwake = new CountDownLatch(1);
        private final CountDownLatch thaw = new CountDownLatch(1);

        @Override
        public void before(Enum<?> step, UUID moveId) {
            if (step == MoverStep.ACTIVATE_TARGET) {
                Freezing.await(thaw);
            } else if (step == MoverStep.TERMINATE_SESSIONS
                    && Thread.currentThread().getName().startsWith("watchdog")) {
                watchdogAsleep.countDown();
                Freezing.await(watchdogAwake);
            }
        }

        @Override
        public void done(Enum<?> step, UUID moveId) {}
    }
}
