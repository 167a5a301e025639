package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.StopMode;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A target that is really stopped while a bucket is fenced: the source takes it back by force, and the target comes again. */
class ForcedReclaimIT {
    private static PostgresServer lost;
    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        lost = PostgresServer.builder()
                .version(Version.NEWEST)
                .name("lost-target")
                .start();
        pair = MovePair.of(SharedServers.of(Version.OLDEST), lost);
    }

    @AfterEach
    void bringItBack() {
        if (!lost.isRunning()) {
            lost.start();
        }
    }

    @AfterAll
    static void end() {
        lost.close();
    }

    @Test
    void whatATargetHasNotActivatedIsTakenBackAndTheMoveEndsWhenItAnswersAgain() throws SQLException {
        MoveTask task = fenced(1);
        lost.stop(StopMode.IMMEDIATE);
        try (MoverDriver mover = new MoverDriver(task)) {
            assertReclaimed(mover.reclaim(task.scopes()), 1);
            assertReclaimed(mover.reclaim(task.scopes()), 1);
            assertThat(MovePair.fence(pair.here, 1)).isEqualTo("OWNED 3");
            insert(1, 501);

            lost.start();
            MoveReport back = mover.done(Command.OBSERVE);

            assertThat(back.truth().orElseThrow().target().get(Scope.bucket(1)).state())
                    .isEqualTo(FenceState.IMPORTING);
            mover.done(Command.ABORT);
        }
        assertThat(fences(1)).isEqualTo("OWNED 3 / ABORTED 1");
        assertThat(MovePair.rows(pair.here, "orders", 1)).isEqualTo(2);
        assertThat(MovePair.rows(pair.there, "orders", 1)).isZero();
        pair.assertNothingLeft();
    }

    /** Nobody had heard of it: the target was stopped before it was read. */
    @Test
    void aTargetThatHadActivatedItIsTheOlderOwnerWhenItAnswersAgain() throws SQLException {
        MoveTask task = fenced(2);
        pair.there.setFence(2, FenceState.OWNED, 2, "ds-4", task.moveId());
        lost.stop(StopMode.IMMEDIATE);
        try (MoverDriver mover = new MoverDriver(task)) {
            assertReclaimed(mover.reclaim(task.scopes()), 2);

            lost.start();
            assertThat(fences(2)).isEqualTo("OWNED 3 / OWNED 2");
            mover.done(Command.DEMOTE);

            assertThat(fences(2)).isEqualTo("OWNED 3 / MOVED 3");
            assertThat(mover.report().truth().orElseThrow().demoted()).containsExactly(entry(Scope.bucket(2), "ds-4"));
            pair.there.plant("DELETE FROM shardwright.cleanup_record WHERE kind = 'demoted'");
            mover.done(Command.ABORT);
        }
        assertThat(fences(2)).isEqualTo("OWNED 5 / ABORTED 3");
        pair.assertNothingLeft();
    }

    @Test
    void nothingIsTakenBackByForceWhileTheTargetAnswers() throws SQLException {
        MoveTask task = fenced(3);
        try (MoverDriver mover = new MoverDriver(task)) {
            MoveReport refused = mover.reclaim(task.scopes());

            assertThat(refused.failure().orElseThrow().message()).contains("ds-4 answers");
            assertThat(refused.truth()).isPresent();
            assertThat(fences(3)).isEqualTo("MOVED 2 / IMPORTING 1");
            mover.done(Command.PREPARE);
            assertThat(fences(3)).isEqualTo("MOVED 2 / OWNED 2");
            mover.done(Command.CLEAN_UP);
        }
    }

    @ParameterizedTest
    @CsvSource({"4, OWNED, 1", "5, MOVED, 2"})
    void whatThisMoveHasNotFencedIsNotTouched(int bucket, FenceState state, long epoch) {
        pair.here.setFence(bucket, state, epoch, "ds-7", UUID.randomUUID());
        MoveTask task = pair.task(bucket);
        lost.stop(StopMode.IMMEDIATE);
        try (MoverDriver mover = new MoverDriver(task)) {
            assertThat(mover.reclaim(task.scopes()).failure().orElseThrow().message())
                    .contains("none of buckets [" + bucket + "]");
        }
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo(state + " " + epoch);
        pair.here.plant("DELETE FROM shardwright.claim WHERE move_id = '" + task.moveId() + "'");
    }

    @ParameterizedTest
    @CsvSource({"6, true", "7, false"})
    void anotherMoverFinishesWhatOneLeftAtThisStep(int bucket, boolean before) throws SQLException {
        MoveTask task = fenced(bucket);
        lost.stop(StopMode.IMMEDIATE);
        DyingMover dying = new DyingMover(MoverStep.FORCE_RECLAIM, before);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.reclaim(task.scopes());
            dying.awaitDeath();
        }
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo(before ? "MOVED 2" : "OWNED 3");
        try (MoverDriver mover = new MoverDriver(task)) {
            assertReclaimed(mover.reclaim(task.scopes()), bucket);
            assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("OWNED 3");
            lost.start();
            mover.done(Command.ABORT);
        }
        assertThat(fences(bucket)).isEqualTo("OWNED 3 / ABORTED 1");
        pair.assertNothingLeft();
    }

    /** It stood still after its question, and another mover has come meanwhile, as it does before it activates anything. */
    @Test
    void whoWasTakenOverSinceHisQuestionTakesNothingBack() throws SQLException {
        MoveTask task = fenced(8);
        lost.stop(StopMode.IMMEDIATE);
        StepBoundary takenOver = before(
                MoverStep.FORCE_RECLAIM,
                () -> pair.here.plant(
                        "UPDATE shardwright.claim SET token = 'successor' WHERE move_id = '" + task.moveId() + "'"));
        try (MoverDriver mover = new MoverDriver(task, takenOver)) {
            assertThat(mover.reclaim(task.scopes()).failure().orElseThrow().kind())
                    .isEqualTo(Kind.SUPERSEDED);
        }
        assertThat(MovePair.fence(pair.here, 8)).isEqualTo("MOVED 2");
        lost.start();
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.CLEAN_UP);
        }
        assertThat(fences(8)).isEqualTo("MOVED 2 / OWNED 2");
    }

    private static StepBoundary before(MoverStep wanted, Runnable what) {
        return new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == wanted) {
                    what.run();
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
    }

    private static void assertReclaimed(MoveReport report, int bucket) {
        assertThat(report.failure().orElseThrow().kind()).isEqualTo(Kind.RECLAIMED);
        assertThat(report.failure().orElseThrow().message()).contains("ds-0 owns buckets [" + bucket + "]", "ds-4");
    }

    /** Its mover has died between the fence and the activation. */
    private static MoveTask fenced(int bucket) throws SQLException {
        insert(bucket, 500);
        MoveTask task = pair.task(bucket);
        DyingMover dying = new DyingMover(MoverStep.ACTIVATE_TARGET, true);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            dying.awaitDeath();
        }
        MovePair.awaitFence(pair.here, bucket, "MOVED 2");
        assertThat(fences(bucket)).isEqualTo("MOVED 2 / IMPORTING 1");
        return task;
    }

    private static void insert(int bucket, int id) throws SQLException {
        try (Connection app = pair.here.app();
                Statement statement = app.createStatement()) {
            statement.execute("INSERT INTO orders VALUES (%d, %d, 'row')".formatted(ShopDatabase.keyIn(bucket), id));
        }
    }

    private static String fences(int bucket) {
        return MovePair.fence(pair.here, bucket) + " / " + MovePair.fence(pair.there, bucket);
    }
}
