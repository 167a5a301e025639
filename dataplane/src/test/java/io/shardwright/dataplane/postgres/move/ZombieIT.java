package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mover freezes, another one of the same move does the work, the first one wakes up: it changes nothing any more. */
class ZombieIT {
    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    private static MoveTask task(int bucket) {
        pair.here.plant(
                "INSERT INTO orders SELECT " + ShopDatabase.keyIn(bucket) + ", n, 'row' FROM generate_series(1, 20) n");
        return pair.task(bucket);
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
        MoveTask task = task(bucket);
        Freezing freezing = new Freezing(step);
        try (MoverDriver zombie = new MoverDriver(task, freezing)) {
            Thread old = Thread.ofPlatform().daemon().start(() -> begin(zombie, task));
            freezing.awaitFrozen();
            try (MoverDriver mover = new MoverDriver(task)) {
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.switchEach(task.scopes());
                freezing.thaw();
                old.join();
                assertThat(zombie.report().failure()).isPresent();
                mover.done(Command.CLEAN_UP);
            }
        }
        assertMoved(bucket);
    }

    private static void assertMoved(int bucket) {
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.there, "orders", bucket)).isEqualTo(20);
        assertThat(MovePair.rows(pair.here, "orders", bucket)).isZero();
        assertThat(pair.leftovers()).isEmpty();
    }

    /** Its sessions live on: only the token stands between it and the databases. */
    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            names = {
                "RECORD_CLEANUP",
                "MARK_IMPORTING",
                "DELETE_LEFTOVERS",
                "CREATE_SLOT",
                "COPY",
                "MARK_COPIED",
                "APPLY",
                "DRAIN_SOURCE",
                "ACTIVATE_TARGET"
            })
    void aFrozenMoverWhoseSessionsLiveFindsAnotherToken(MoverStep step) throws InterruptedException {
        int bucket = 40 + step.ordinal();
        MoveTask task = task(bucket);
        Freezing freezing = new Freezing(step);
        try (MoverDriver zombie = new MoverDriver(task, freezing)) {
            Thread old = Thread.ofPlatform().daemon().start(() -> begin(zombie, task));
            freezing.awaitFrozen();
            takeTheToken(task);
            freezing.thaw();
            old.join();
            assertThat(zombie.await("its end", now -> now.failure().isPresent())
                            .failure()
                            .orElseThrow()
                            .kind())
                    .isEqualTo(Kind.SUPERSEDED);
        }
        assertThat(MovePair.fence(pair.there, bucket)).isNotEqualTo("OWNED 2");
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.ABORT);
        }
        assertThat(pair.leftovers()).isEmpty();
    }

    /** What a claim writes, and nothing else that a successor does. */
    private static void takeTheToken(MoveTask task) {
        for (ShopDatabase database : List.of(pair.here, pair.there)) {
            for (String table : List.of("move_progress", "claim", "cleanup_record")) {
                database.plant("UPDATE shardwright." + table + " SET token = 'successor' WHERE move_id = '"
                        + task.moveId() + "'");
            }
        }
    }

    @Test
    void aMoverThatWakesUpAfterTheCleanupLeavesNoSlot() throws InterruptedException {
        MoveTask task = task(90);
        Freezing freezing = new Freezing(MoverStep.CREATE_SLOT);
        try (MoverDriver zombie = new MoverDriver(task, freezing)) {
            Thread old = Thread.ofPlatform().daemon().start(() -> begin(zombie, task));
            freezing.awaitFrozen();
            try (MoverDriver mover = new MoverDriver(task)) {
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.switchEach(task.scopes());
                mover.done(Command.CLEAN_UP);
            }
            freezing.thaw();
            old.join();
            assertThat(zombie.report().failure()).isPresent();
        }
        assertMoved(90);
    }

    @Test
    void aMoveThatHasSucceededIsNotPreparedOrAbortedAgain() {
        MoveTask task = task(91);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
            mover.done(Command.CLEAN_UP);
        }
        try (MoverDriver late = new MoverDriver(task)) {
            late.done(Command.PREPARE);
            assertThat(pair.leftovers()).isEmpty();
            assertThat(late.run(Command.ABORT).failure().orElseThrow().message())
                    .contains("already");
        }
        assertMoved(91);
    }

    private static void begin(MoverDriver zombie, MoveTask task) {
        for (Command command : List.of(Command.PREPARE, Command.VERIFY)) {
            if (zombie.run(command).failure().isPresent()) {
                return;
            }
        }
        zombie.switchGroup(task.scopes());
    }
}
