package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.Succession.ok;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
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
 * in {@link ReversalResumeIT}, those of keys in KeyResumeIT, those of a source that takes no writes in {@link ResyncIT}.
 */
class ResumeIT {
    /** Steps of an abort; the others are steps of a move that succeeds. */
    private static final Set<MoverStep> ABORTING = EnumSet.of(
            MoverStep.PROBE_SOURCE, MoverStep.ABORT_TARGET, MoverStep.RECLAIM_SOURCE, MoverStep.DELETE_TARGET_ROWS);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {
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

    /** The databases are as before the next step; so only the long run does it for all. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = MoverStep.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {
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
    void anotherMoverFinishesWhatOneLeftAfterAStep(MoverStep step) {
        killAndFinish(step, false, 40 + step.ordinal());
    }

    private static void killAndFinish(MoverStep step, boolean before, int bucket) {
        Succession succession = new Succession(pair, bucket);
        boolean abort = ABORTING.contains(step);
        succession.killAndFinish(
                pair.task(bucket), step, before, ResumeIT::move, abort ? ResumeIT::prepareAndAbort : ResumeIT::move);
        succession.assertEnd(abort ? "OWNED 3" : "MOVED 2", abort ? "ABORTED 1" : "OWNED 2");
    }

    private static void prepareAndAbort(MoverDriver mover) {
        mover.run(Command.PREPARE);
        mover.run(Command.ABORT);
    }

    private static void move(MoverDriver mover) {
        if (waiting(mover.report()).isEmpty() || moved(mover)) {
            mover.run(Command.CLEAN_UP);
        }
    }

    private static boolean moved(MoverDriver mover) {
        if (!ok(mover.run(Command.PREPARE)) || !ok(mover.run(Command.OBSERVE))) {
            return false;
        }
        SortedSet<Scope> waiting = waiting(mover.report());
        return waiting.isEmpty() || (ok(mover.run(Command.VERIFY)) && switchAll(mover, waiting));
    }

    private static boolean switchAll(MoverDriver mover, SortedSet<Scope> waiting) {
        while (!waiting(mover.report()).isEmpty()) {
            if (!ok(mover.switchGroup(waiting))) {
                return false;
            }
        }
        return true;
    }

    private static SortedSet<Scope> waiting(MoveReport report) {
        Truth truth = report.truth().orElseThrow();
        SortedSet<Scope> waiting = new TreeSet<>(truth.source().keySet());
        waiting.removeIf(bucket ->
                truth.target().containsKey(bucket) && truth.target().get(bucket).state() == FenceState.OWNED);
        return waiting;
    }
}
