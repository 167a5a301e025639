package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The source fails over to a standby that has every commit, but not the slot: what was copied is copied again. */
class SourceFailoverIT {
    private FailoverPair pair;

    @BeforeEach
    void makeWhole() {
        pair = FailoverPair.whole();
    }

    @Test
    @Tag("long")
    void case13AFailoverInTheCopyStartsItAgain() {
        MoveTask task = pair.task(30);
        try (LedgerWriter writer = new LedgerWriter(pair, 30)) {
            Interruption failing = new Interruption().before(MoverStep.COPY, pair.source::failOver);
            try (RunningMover mover = new RunningMover(task, failing)) {
                assertThat(mover.run(Command.PREPARE).failure().orElseThrow().kind())
                        .isEqualTo(Kind.UNREACHABLE);
            }
            assertThat(pair.fences(30)).isEqualTo("OWNED 1 / IMPORTING 1");
            moveAgain(task);
            assertThat(writer.differences()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void case13AFailoverInTheCatchUpMakesAnotherCopy() {
        MoveTask task = pair.task(31);
        try (LedgerWriter writer = new LedgerWriter(pair, 31)) {
            try (RunningMover mover = new RunningMover(task)) {
                mover.done(Command.PREPARE);

                pair.source.failOver();

                mover.await("the end of the stream", report -> report.failure().isPresent());
            }
            assertThat(pair.fences(31)).isEqualTo("OWNED 1 / IMPORTING 1");
            moveAgain(task);
            assertThat(writer.differences()).isEmpty();
        }
    }

    @Test
    void case13AFailoverAfterTheFenceGivesTheBucketBackToTheSource() {
        MoveTask task = pair.task(32);
        try (LedgerWriter writer = new LedgerWriter(pair, 32)) {
            pair.fenceAndDie(task);

            pair.source.failOver();

            assertThat(pair.fences(32)).as("the standby has the fence").isEqualTo("MOVED 2 / IMPORTING 1");
            pair.heal();
            try (RunningMover next = new RunningMover(pair.again(task))) {
                assertThat(next.run(Command.PREPARE).failure().orElseThrow().kind())
                        .isEqualTo(Kind.DECIDED_AGAINST);
                assertThat(pair.fences(32)).isEqualTo("OWNED 3 / ABORTED 1");
                next.done(Command.ABORT);
            }
            assertThat(writer.differences()).isEmpty();
        }
        pair.awaitNothingLeft(task);
    }

    private void moveAgain(MoveTask task) {
        pair.heal();
        try (RunningMover next = new RunningMover(pair.again(task))) {
            next.done(Command.PREPARE, Command.VERIFY).switchOver();
        }
        assertThat(pair.fences(task.buckets().first())).isEqualTo("MOVED 2 / OWNED 2");
    }
}
