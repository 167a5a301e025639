package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.Succession.ok;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
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
    private static final Set<MoverStep> ABORTING = EnumSet.of(
            MoverStep.PROBE_SOURCE, MoverStep.ABORT_TARGET, MoverStep.RECLAIM_SOURCE, MoverStep.RESTORE_TOMBSTONE);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.downwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            names = {"OPEN_WAY_BACK", "BEGIN_REVERSAL", "RESTORE_TOMBSTONE"})
    void anotherMoverFinishesWhatOneLeftBeforeAStepThatOnlyAReversalHas(MoverStep step) {
        killAndFinish(step, true, step.ordinal());
    }

    /** Steps of a move of its own are excluded by name, and that of two owners, so a new step is here too. */
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
                "RESTORE_TOMBSTONE",
                "DEMOTE_OWNER",
                "FORCE_RECLAIM",
                "READ_BEHIND_FENCE",
                "FORGET_COPY",
                "SPLIT_KEYS",
                "FOLD_KEYS",
                "DROP_TOMBSTONES"
            })
    void anotherMoverFinishesWhatOneLeftBeforeAStep(MoverStep step) {
        killAndFinish(step, true, step.ordinal());
    }

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
                "DEMOTE_OWNER",
                "FORCE_RECLAIM",
                "READ_BEHIND_FENCE",
                "FORGET_COPY",
                "SPLIT_KEYS",
                "FOLD_KEYS",
                "DROP_TOMBSTONES"
            })
    void anotherMoverFinishesWhatOneLeftAfterAStep(MoverStep step) {
        killAndFinish(step, false, 40 + step.ordinal());
    }

    private static void killAndFinish(MoverStep step, boolean before, int bucket) {
        Succession succession = new Succession(pair, bucket);
        MoveTask task = pair.task(bucket);
        boolean abort = ABORTING.contains(step);
        try (MoverDriver there = new MoverDriver(task)) {
            succession.killAndFinish(
                    task.reversal(),
                    step,
                    before,
                    back -> takeBack(bucket, there, back),
                    abort ? back -> abort(bucket, there, back) : back -> takeBack(bucket, there, back));
        }
        succession.assertEnd(abort ? "MOVED 4" : "OWNED 3", abort ? "OWNED 4" : "MOVED 3");
    }

    /** The move itself, with a way back. */
    private static boolean gone(int bucket, MoverDriver there, MoverDriver back) {
        if (MovePair.fence(pair.here, bucket).equals("OWNED 1")) {
            if (!ok(back.run(Command.FOLLOW))) {
                return false;
            }
            there.done(Command.PREPARE, Command.VERIFY);
            there.switchOver();
            there.done(Command.RETIRE);
        }
        return true;
    }

    private static void abort(int bucket, MoverDriver there, MoverDriver back) {
        if (gone(bucket, there, back)) {
            back.run(Command.PREPARE);
            if (ok(back.run(Command.ABORT))) {
                there.done(Command.CLEAN_UP);
            }
        }
    }

    private static void takeBack(int bucket, MoverDriver there, MoverDriver back) {
        boolean done = gone(bucket, there, back) && (isBack(bucket) || takenBack(bucket, back));
        if (done && ok(back.run(Command.CLEAN_UP))) {
            there.done(Command.CLEAN_UP);
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
}
