package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The mover of a reversal dies before and after every step, from the day on which it opens the way back; another one takes
 * over: the same end state as without a death, with rows that somebody keeps writing.
 */
class ReversalResumeIT {
    private static final Set<MoverStep> ABORTING =
            EnumSet.of(MoverStep.ABORT_TARGET, MoverStep.RECLAIM_SOURCE, MoverStep.RESTORE_TOMBSTONE);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.downwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        assertThat(pair.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            names = {"OPEN_WAY_BACK", "BEGIN_REVERSAL", "RESTORE_TOMBSTONE"})
    void anotherMoverFinishesWhatOneLeftBeforeAStepThatOnlyAReversalHas(MoverStep step) {
        killAndFinish(step, true, step.ordinal());
    }

    /** Steps of a move of its own are excluded by name, so a new step is here too. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "MARK_IMPORTING",
                "DELETE_LEFTOVERS",
                "COPY",
                "MARK_COPIED",
                "DELETE_TARGET_ROWS",
                "OPEN_WAY_BACK",
                "BEGIN_REVERSAL",
                "RESTORE_TOMBSTONE"
            })
    void anotherMoverFinishesWhatOneLeftBeforeAStep(MoverStep step) {
        killAndFinish(step, true, step.ordinal());
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"MARK_IMPORTING", "DELETE_LEFTOVERS", "COPY", "MARK_COPIED", "DELETE_TARGET_ROWS"})
    void anotherMoverFinishesWhatOneLeftAfterAStep(MoverStep step) {
        killAndFinish(step, false, 40 + step.ordinal());
    }

    private static void killAndFinish(MoverStep step, boolean before, int bucket) {
        long tenant = ShopDatabase.keyIn(bucket);
        for (int id = 1; id <= 20; id++) {
            pair.here.plant(
                    "INSERT INTO orders VALUES (%d, %d, 'row'); INSERT INTO order_items VALUES (%d, %d, %d, 's')"
                            .formatted(tenant, id, tenant, id, id));
        }
        MoveTask task = pair.task(bucket);
        boolean abort = ABORTING.contains(step);
        try (LiveLoad load = new LiveLoad(pair, 1, 20, bucket);
                MoverDriver there = new MoverDriver(task)) {
            if (step == MoverStep.CONFIRM_FENCE) {
                runToItsDeath(task, there, new DyingMover(MoverStep.FENCE_SOURCE, false), false);
            }
            runToItsDeath(task, there, new DyingMover(step, before), abort);
            try (MoverDriver back = new MoverDriver(task.reversal())) {
                goOn(bucket, there, back, abort);
                assertThat(back.report().failure()).isEmpty();
            }
            there.done(Command.CLEAN_UP);
            assertThat(load.stopAndCompare()).isEmpty();
        }
        assertEndState(bucket, abort);
    }

    private static void runToItsDeath(MoveTask task, MoverDriver there, DyingMover dying, boolean abort) {
        try (MoverDriver back = new MoverDriver(task.reversal(), dying)) {
            dying.kills(back);
            goOn(task.buckets().first(), there, back, abort);
            dying.awaitDeath();
        }
    }

    private static void assertEndState(int bucket, boolean aborted) {
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo(aborted ? "MOVED 4" : "OWNED 3");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo(aborted ? "OWNED 4" : "MOVED 3");
        ShopDatabase owner = aborted ? pair.there : pair.here;
        ShopDatabase other = aborted ? pair.here : pair.there;
        assertThat(MovePair.rows(owner, "orders", bucket)).isGreaterThanOrEqualTo(20);
        assertThat(MovePair.rows(other, "orders", bucket)).isZero();
        assertThat(MovePair.rows(other, "order_items", bucket)).isZero();
    }

    /** What a planner would do, from the truth on; stops where the mover of the reversal dies. */
    private static void goOn(int bucket, MoverDriver there, MoverDriver back, boolean abort) {
        if (MovePair.fence(pair.here, bucket).equals("OWNED 1")) {
            if (!ok(back.run(Command.FOLLOW))) {
                return;
            }
            there.done(Command.PREPARE, Command.VERIFY);
            there.switchEach(MovePair.set(bucket));
            there.done(Command.RETIRE);
        }
        if (abort) {
            back.run(Command.PREPARE);
            back.run(Command.ABORT);
        } else if (isBack(bucket) || takenBack(bucket, back)) {
            back.run(Command.CLEAN_UP);
        }
    }

    private static boolean takenBack(int bucket, MoverDriver back) {
        if (!ok(back.run(Command.PREPARE))) {
            return false;
        }
        while (!isBack(bucket)) { // a resumed reversal has finished what was fenced
            if (!ok(back.run(Command.VERIFY)) || !ok(back.switchGroup(MovePair.set(bucket)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBack(int bucket) {
        return MovePair.fence(pair.here, bucket).equals("OWNED 3");
    }

    private static boolean ok(MoveReport report) {
        return report.failure().isEmpty() && report.running().isEmpty() && !report.switching();
    }
}
