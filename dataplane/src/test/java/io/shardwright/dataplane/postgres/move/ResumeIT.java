package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.Succession.ok;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import io.shardwright.servers.faults.Plans;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A mover dies before and after every step (before a third of them, drawn, in a short run), another one takes over: the same end state as without a death. Every step
 * gets buckets of its own in one pair of databases, with rows that somebody keeps writing. Steps that only a reversal has are
 * in {@link ReversalResumeIT}, those of keys in KeyResumeIT, those of a source that takes no writes in {@link ResyncIT}.
 */
class ResumeIT {
    /** Steps of an abort; the others are steps of a move that succeeds. */
    private static final Set<MoverStep> ABORTING = EnumSet.of(
            MoverStep.PROBE_SOURCE, MoverStep.ABORT_TARGET, MoverStep.RECLAIM_SOURCE, MoverStep.DELETE_TARGET_ROWS);

    /** Buckets of their own, behind those of the long runs. */
    private static final AtomicInteger DRAWN = new AtomicInteger(85);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    /** Those that a move of buckets goes through, or its abort. */
    static List<MoverStep> steps() {
        return List.copyOf(EnumSet.complementOf(EnumSet.of(
                MoverStep.OPEN_WAY_BACK,
                MoverStep.BEGIN_REVERSAL,
                MoverStep.RESTORE_TOMBSTONE,
                MoverStep.DEMOTE_OWNER,
                MoverStep.FORCE_RECLAIM,
                MoverStep.READ_BEHIND_FENCE,
                MoverStep.FORGET_COPY,
                MoverStep.SPLIT_KEYS,
                MoverStep.FOLD_KEYS,
                MoverStep.DROP_TOMBSTONES)));
    }

    static List<MoverStep> aThird() {
        List<MoverStep> steps = steps();
        return Plans.sample(steps, steps.size() / 3);
    }

    @ParameterizedTest
    @MethodSource("aThird")
    void anotherMoverFinishesWhatOneLeftBeforeAStep(MoverStep step) {
        killAndFinish(step, true, DRAWN.getAndIncrement());
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("steps")
    void anotherMoverFinishesWhatOneLeftBeforeAnyStep(MoverStep step) {
        killAndFinish(step, true, step.ordinal());
    }

    /** The databases are as before the next step. */
    @Tag("long")
    @ParameterizedTest
    @MethodSource("steps")
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
