package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;

/** A bucket that two shards own, because one of them has lost a commit: which one is closed, when none is, and what stays. */
class TwoOwnersIT {
    private static final Limits HASTY =
            new Limits(Duration.ofSeconds(60), Duration.ofMillis(300), Duration.ofSeconds(30), 1 << 20, 1, false);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        assertThat(pair.leftovers().replaceAll("record demoted b:\\d+ ?", "")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 2, MOVED 2, OWNED 2, ds-0", "2, 3, 2, OWNED 3, MOVED 3, ds-4"})
    void theOneWithTheLowerEpochIsClosed(int bucket, long here, long there, String left, String right, String older) {
        MoveTask task = owned(bucket, here, there);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.DEMOTE, Command.DEMOTE);

            assertThat(mover.report().truth().orElseThrow().demoted())
                    .containsExactly(entry(Scope.bucket(bucket), older));
        }
        assertThat(fences(bucket)).isEqualTo(left + " / " + right);
    }

    @Test
    void aStaleWriterIsSentOnByTheOneThatWasClosed() throws SQLException {
        MoveTask task = owned(3, 1, 2);
        try (Connection stale = pair.here.app();
                MoverDriver mover = new MoverDriver(task)) {
            insert(stale, 3, 501);
            mover.done(Command.DEMOTE);

            PSQLException refused = catchThrowableOfType(PSQLException.class, () -> insert(stale, 3, 502));

            assertThat(refused.getSQLState()).isEqualTo("SH409");
            assertThat(refused.getServerErrorMessage().getDetail().replace(" ", ""))
                    .contains(
                            "\"state\":\"MOVED\"",
                            "\"owner\":\"ds-4\"",
                            "\"epoch\":2,",
                            task.moveId().toString());
        }
    }

    @Test
    void noneIsClosedWhenBothHaveTheSameEpoch() {
        try (MoverDriver mover = new MoverDriver(owned(4, 2, 2))) {
            MoveReport report = mover.run(Command.DEMOTE);

            assertThat(report.failure().orElseThrow().message()).contains("ds-0", "ds-4", "bucket 4", "same epoch 2");
            assertThat(report.truth().orElseThrow().demoted()).isEmpty();
        }
        assertThat(fences(4)).isEqualTo("OWNED 2 / OWNED 2");
    }

    @Test
    void aWriterInFlightIsWaitedForAsInADrainAndNamed() throws SQLException {
        owned(5, 1, 2);
        MoveTask both = task(HASTY, owned(6, 1, 2).moveId(), 5, 6);
        try (Connection writer = pair.here.app();
                MoverDriver mover = new MoverDriver(both)) {
            writer.setAutoCommit(false);
            insert(writer, 5, 501);

            MoveReport held = mover.run(Command.DEMOTE);

            assertThat(held.failure().orElseThrow().message()).contains("ds-0", "bucket 5", "300 ms", "shop_app");
            assertThat(fences(5)).isEqualTo("OWNED 1 / OWNED 2");
            assertThat(fences(6)).as("nobody is in there").isEqualTo("MOVED 2 / OWNED 2");
            writer.commit();
            mover.done(Command.DEMOTE);
        }
        assertThat(fences(5)).isEqualTo("MOVED 2 / OWNED 2");
        assertThat(rows(5)).as("it was acknowledged").isEqualTo(1);
    }

    /** The younger owner loses its activation in a failover while the mover is about to close the older one. */
    @Test
    void bothAreLookedAtAgainBehindTheLock() {
        MoveTask task = owned(7, 1, 2);
        StepBoundary failover = before(() -> pair.there.setFence(7, FenceState.IMPORTING, 1, null, task.moveId()));
        try (MoverDriver mover = new MoverDriver(task, failover)) {
            mover.done(Command.DEMOTE);

            assertThat(mover.report().truth().orElseThrow().demoted()).isEmpty();
        }
        assertThat(fences(7)).isEqualTo("OWNED 1 / IMPORTING 1");
    }

    @ParameterizedTest
    @CsvSource({"8, true", "9, false"})
    void anotherMoverFinishesWhatOneLeftAtThisStep(int bucket, boolean before) {
        MoveTask task = owned(bucket, 1, 2);
        DyingMover dying = new DyingMover(MoverStep.DEMOTE_OWNER, before);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.run(Command.DEMOTE);
            dying.awaitDeath();
        }
        assertThat(fences(bucket)).isEqualTo(before ? "OWNED 1 / OWNED 2" : "MOVED 2 / OWNED 2");
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.DEMOTE);

            assertThat(mover.report().truth().orElseThrow().demoted())
                    .containsExactly(entry(Scope.bucket(bucket), "ds-0"));
        }
        assertThat(fences(bucket)).isEqualTo("MOVED 2 / OWNED 2");
    }

    @Test
    void whatTheOlderOwnerTookIsDeletedOnlyWhenAPersonHasLooked() throws SQLException {
        MoveTask task = pair.task(10);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            pair.here.setFence(10, FenceState.OWNED, 1, "ds-0", null);
            try (Connection stale = pair.here.app()) {
                insert(stale, 10, 501);
            }
            mover.done(Command.DEMOTE);

            MoveReport refused = mover.run(Command.CLEAN_UP);

            assertThat(refused.failure().orElseThrow().message()).contains("ds-0", "demoted", "[10]");
            assertThat(rows(10)).isEqualTo(1);
            pair.here.plant("DELETE FROM shardwright.cleanup_record WHERE kind = 'demoted' AND name = 'b:10'");
            mover.done(Command.CLEAN_UP);
            assertThat(mover.report().truth().orElseThrow().demoted()).isEmpty();
        }
        assertThat(rows(10)).isZero();
        assertThat(fences(10)).isEqualTo("MOVED 2 / OWNED 2");
    }

    /** The source had the bucket back, and a zombie made the target an owner that had forgotten so: the abort is finished. */
    @Test
    void theTargetOfAMoveThatWasDecidedAgainstIsEmptiedWhenAPersonHasLooked() throws SQLException {
        MoveTask task = pair.task(11);
        try (Connection writer = pair.here.app();
                MoverDriver mover = new MoverDriver(task)) {
            insert(writer, 11, 1);
            mover.done(Command.PREPARE);
            pair.here.setFence(11, FenceState.OWNED, 3, "ds-0", task.moveId());
            pair.there.setFence(11, FenceState.OWNED, 2, "ds-4", task.moveId());
            mover.done(Command.DEMOTE);
            assertThat(fences(11)).isEqualTo("OWNED 3 / MOVED 3");

            assertThat(mover.run(Command.ABORT).failure().orElseThrow().message())
                    .contains("ds-4", "demoted", "[11]");
            pair.there.plant("DELETE FROM shardwright.cleanup_record WHERE kind = 'demoted' AND name = 'b:11'");
            mover.done(Command.ABORT);
        }
        assertThat(fences(11)).isEqualTo("OWNED 5 / ABORTED 3");
        assertThat(MovePair.rows(pair.there, "orders", 11)).isZero();
        assertThat(rows(11)).isEqualTo(1);
    }

    /** Both own it; the younger one by the move that is returned. */
    private static MoveTask owned(int bucket, long here, long there) {
        UUID move = UUID.randomUUID();
        pair.here.setFence(bucket, FenceState.OWNED, here, "ds-0", here > there ? move : null);
        pair.there.setFence(bucket, FenceState.OWNED, there, "ds-4", move);
        return task(MoverDriver.PATIENT, move, bucket);
    }

    private static MoveTask task(Limits limits, UUID move, Integer... buckets) {
        MoveTask any = pair.task(limits, buckets);
        return new MoveTask(move, any.cluster(), any.source(), any.target(), any.schema(), any.scopes(), limits);
    }

    private static StepBoundary before(Runnable what) {
        return new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == MoverStep.DEMOTE_OWNER) {
                    what.run();
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
    }

    private static void insert(Connection app, int bucket, int id) throws SQLException {
        try (Statement statement = app.createStatement()) {
            statement.execute("INSERT INTO orders VALUES (%d, %d, 'row')".formatted(ShopDatabase.keyIn(bucket), id));
        }
    }

    private static long rows(int bucket) {
        return MovePair.rows(pair.here, "orders", bucket);
    }

    private static String fences(int bucket) {
        return MovePair.fence(pair.here, bucket) + " / " + MovePair.fence(pair.there, bucket);
    }
}
