package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import java.util.EnumSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A mover dies before and after every step, another one takes over: the same end state as without a death. Every step
 * gets buckets of its own in one pair of databases, with rows that somebody keeps writing. Steps that only a reversal has are
 * in {@link ReversalResumeIT}.
 */
class ResumeIT {
    /** Steps of an abort; the others are steps of a move that succeeds. */
    private static final Set<MoverStep> ABORTING =
            EnumSet.of(MoverStep.ABORT_TARGET, MoverStep.RECLAIM_SOURCE, MoverStep.DELETE_TARGET_ROWS);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        assertThat(pair.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OPEN_WAY_BACK", "BEGIN_REVERSAL", "RESTORE_TOMBSTONE"})
    void anotherMoverFinishesWhatOneLeftBeforeAStep(MoverStep step) {
        killAndFinish(step, true, step.ordinal());
    }

    /** The databases are as before the next step; so only the long run does it for all. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OPEN_WAY_BACK", "BEGIN_REVERSAL", "RESTORE_TOMBSTONE"})
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
        try (LiveLoad load = new LiveLoad(pair, 1, 20, bucket)) {
            if (step == MoverStep.CONFIRM_FENCE) {
                runToItsDeath(task, new DyingMover(MoverStep.FENCE_SOURCE, false), false);
            }
            runToItsDeath(task, new DyingMover(step, before), abort);
            try (MoverDriver mover = new MoverDriver(task)) {
                goOn(mover, abort);
                assertThat(mover.report().failure()).isEmpty();
            }
            assertThat(load.stopAndCompare()).isEmpty();
        }
        assertEndState(bucket, abort);
    }

    private static void runToItsDeath(MoveTask task, DyingMover dying, boolean abort) {
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            goOn(mover, abort);
            dying.awaitDeath();
        }
    }

    private static void assertEndState(int bucket, boolean aborted) {
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo(aborted ? "OWNED 3" : "MOVED 2");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo(aborted ? "ABORTED 1" : "OWNED 2");
        ShopDatabase owner = aborted ? pair.here : pair.there;
        ShopDatabase other = aborted ? pair.there : pair.here;
        assertThat(MovePair.rows(owner, "orders", bucket)).isGreaterThanOrEqualTo(20);
        assertThat(MovePair.rows(other, "orders", bucket)).isZero();
        assertThat(MovePair.rows(other, "order_items", bucket)).isZero();
    }

    /** What a planner would do, from the truth on; stops where the mover dies. */
    private static void goOn(MoverDriver mover, boolean abort) {
        if (abort) {
            mover.run(Command.PREPARE);
            mover.run(Command.ABORT);
        } else if (waiting(mover.report()).isEmpty() || moved(mover)) {
            mover.run(Command.CLEAN_UP);
        }
    }

    private static boolean moved(MoverDriver mover) {
        if (!ok(mover.run(Command.PREPARE)) || !ok(mover.run(Command.OBSERVE))) {
            return false;
        }
        SortedSet<Integer> waiting = waiting(mover.report());
        return waiting.isEmpty() || (ok(mover.run(Command.VERIFY)) && switchAll(mover, waiting));
    }

    private static boolean switchAll(MoverDriver mover, SortedSet<Integer> waiting) {
        while (!waiting(mover.report()).isEmpty()) {
            if (!ok(mover.switchGroup(waiting))) {
                return false;
            }
        }
        return true;
    }

    private static boolean ok(MoveReport report) {
        return report.failure().isEmpty() && report.running().isEmpty() && !report.switching();
    }

    private static SortedSet<Integer> waiting(MoveReport report) {
        Truth truth = report.truth().orElseThrow();
        SortedSet<Integer> waiting = new TreeSet<>(truth.source().keySet());
        waiting.removeIf(bucket ->
                truth.target().containsKey(bucket) && truth.target().get(bucket).state() == FenceState.OWNED);
        return waiting;
    }
}
