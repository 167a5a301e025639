package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who decides against a move, and that there is exactly one decision. */
class AbortIT {
    private static final Limits HASTY =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofMillis(500), 1 << 20, 1, false);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.downwards();
    }

    private static void plant(int bucket) {
        pair.here.plant("INSERT INTO orders VALUES (" + ShopDatabase.keyIn(bucket) + ", 1, 'row')");
    }

    @Test
    void anAbortBeforeAnythingWasDoneLeavesNothing() {
        plant(1);
        try (MoverDriver mover = new MoverDriver(pair.task(1))) {
            assertThat(mover.done(Command.ABORT).stage()).isEqualTo(Stage.ABORTED);
        }
        assertThat(MovePair.fence(pair.here, 1)).isEqualTo("OWNED 1");
        assertThat(MovePair.fence(pair.there, 1)).isEqualTo("absent");
    }

    @Test
    void anAbortAfterTheCopyGivesTheSourceANewEpochAndEmptiesTheTarget() {
        plant(2);
        MoveTask task = pair.task(2);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE);
            assertThat(MovePair.rows(pair.there, "orders", 2)).isOne();
            mover.done(Command.ABORT);
        }
        assertAborted(2);
        try (MoverDriver mover = new MoverDriver(task)) {
            MoveReport report = mover.run(Command.PREPARE);
            assertThat(report.failure().orElseThrow().kind()).isEqualTo(Kind.DECIDED_AGAINST);
        }
        try (MoverDriver next = new MoverDriver(pair.task(2))) {
            next.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            next.switchEach(Scope.buckets(2));
            next.done(Command.CLEAN_UP);
        }
        assertThat(MovePair.fence(pair.there, 2)).isEqualTo("OWNED 4");
    }

    @Test
    void anAbortAfterTheFenceReopensTheSource() {
        plant(3);
        MoveTask task = pair.task(3);
        DyingMover dying = new DyingMover(MoverStep.FENCE_SOURCE, false);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
            dying.awaitDeath();
        }
        assertThat(MovePair.fence(pair.here, 3)).isEqualTo("MOVED 2");
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.ABORT);
        }
        assertAborted(3);
    }

    @Test
    void bucketsThatHaveMovedStayMovedWhenTheRestIsAborted() {
        plant(4);
        plant(5);
        MoveTask task = pair.task(4, 5);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            mover.switchEach(Scope.buckets(4));
            mover.done(Command.ABORT);
            mover.done(Command.CLEAN_UP);
        }
        assertThat(MovePair.fence(pair.there, 4)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.here, "orders", 4)).isZero();
        assertThat(MovePair.rows(pair.there, "orders", 4)).isOne();
        assertAborted(5);
    }

    @Test
    void theWatchdogEndsAPauseThatNobodyElseEnds() {
        plant(6);
        Freezing hanging = new Freezing(MoverStep.ACTIVATE_TARGET);
        try (MoverDriver mover = new MoverDriver(pair.task(HASTY, 6), hanging)) {
            mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            mover.mover().beginSwitch(Scope.buckets(6));
            mover.await(
                    "the watchdog",
                    report -> report.failure()
                            .filter(failure -> failure.kind() == Kind.DECIDED_AGAINST)
                            .isPresent());
            assertThat(MovePair.fence(pair.here, 6)).isEqualTo("OWNED 3");
            assertThat(MovePair.fence(pair.there, 6)).isEqualTo("ABORTED 1");
            hanging.thaw();
            mover.idle();
            assertThat(MovePair.fence(pair.there, 6)).isEqualTo("ABORTED 1");
            mover.done(Command.ABORT);
        }
        assertAborted(6);
    }

    /** The watchdog has seen an open decision and acts on it after the activation. */
    @Test
    void aWatchdogThatComesAfterTheActivationDecidesNothing() {
        plant(7);
        MoveTask task = pair.task(HASTY, 7);
        Order order = new Order(MoverStep.ACTIVATE_TARGET);
        try (MoverDriver mover = new MoverDriver(task, order)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchGroup(task.scopes());
            Freezing.await(order.otherDone);
        }
        assertThat(MovePair.fence(pair.here, 7)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, 7)).isEqualTo("OWNED 2");
    }

    /** The activation has its marker and waits while the watchdog decides. */
    @Test
    void anActivationThatComesAfterTheWatchdogActivatesNothing() {
        plant(8);
        MoveTask task = pair.task(HASTY, 8);
        Order order = new Order(MoverStep.ABORT_TARGET);
        try (MoverDriver mover = new MoverDriver(task, order)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            assertThat(mover.switchGroup(task.scopes()).failure()).isPresent();
        }
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.ABORT);
        }
        assertAborted(8);
    }

    /** Brings activation and watchdog to the same moment, then lets one of them go first. */
    private static final class Order implements StepBoundary {
        private final MoverStep first;
        private final CountDownLatch activationThere = new CountDownLatch(1);
        private final CountDownLatch watchdogThere = new CountDownLatch(1);
        private final CountDownLatch firstDone = new CountDownLatch(1);
        private final CountDownLatch otherDone = new CountDownLatch(1);

        Order(MoverStep first) {
            this.first = first;
        }

        @Override
        public void before(Enum<?> step, UUID moveId) {
            if (step == MoverStep.ACTIVATE_TARGET) {
                activationThere.countDown();
                Freezing.await(first == step ? watchdogThere : firstDone);
            } else if (step == MoverStep.TERMINATE_SESSIONS
                    && Thread.currentThread().getName().startsWith("watchdog")) {
                watchdogThere.countDown();
                Freezing.await(first == MoverStep.ACTIVATE_TARGET ? firstDone : activationThere);
            }
        }

        @Override
        public void done(Enum<?> step, UUID moveId) {
            if (step == first) {
                firstDone.countDown();
            } else if (step == MoverStep.ABORT_TARGET) {
                otherDone.countDown();
            }
        }
    }

    private static void assertAborted(int bucket) {
        assertThat(MovePair.fence(pair.there, bucket)).startsWith("ABORTED");
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("OWNED 3");
        assertThat(MovePair.rows(pair.there, "orders", bucket)).isZero();
        assertThat(MovePair.rows(pair.here, "orders", bucket)).isOne();
    }
}
