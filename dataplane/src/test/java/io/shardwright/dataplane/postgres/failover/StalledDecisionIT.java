package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every other commit that the other shard relies on is lost in a failover while it waits for its standby. */
class StalledDecisionIT {
    private FailoverPair pair;

    @BeforeEach
    void makeWhole() {
        pair = FailoverPair.whole();
    }

    @Test
    void case33AnActivationThatAFailoverForgetsMakesNobodyAnOwnerUntilItIsDecidedAgainst() {
        MoveTask task = pair.task(20);
        Interruption stalling = new Interruption().before(MoverStep.ACTIVATE_TARGET, pair.target::stall);
        try (LedgerWriter writer = new LedgerWriter(pair, 20)) {
            try (MoverDriver mover = new MoverDriver(task, stalling)) {
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.beginSwitch();
                pair.awaitFenced(20);
                pair.target.awaitCommitThatWaitsForTheStandby();
                assertThat(pair.fences(20)).isEqualTo("MOVED 2 / IMPORTING 1");

                pair.target.failOver();

                assertThat(mover.idle().switches()).noneMatch(MoveReport.Switch::activated);
                assertThat(pair.fences(20)).isEqualTo("MOVED 2 / IMPORTING 1");
            }
            pair.heal();
            try (MoverDriver next = new MoverDriver(pair.again(task))) {
                assertThat(next.run(Command.PREPARE).failure().orElseThrow().kind())
                        .isEqualTo(Kind.DECIDED_AGAINST);
                assertThat(pair.fences(20)).isEqualTo("OWNED 3 / ABORTED 1");
                next.done(Command.ABORT);
            }
            assertThat(writer.differences()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void case33ASourceIsNotTakenBackForAnAbortThatAFailoverForgets() {
        MoveTask task = fencedAndLeft(21);
        Interruption stalling = new Interruption().before(MoverStep.ABORT_TARGET, pair.target::stall);
        try (MoverDriver aborting = new MoverDriver(task, stalling)) {
            aborting.begin(Command.ABORT);
            pair.target.awaitCommitThatWaitsForTheStandby();
            assertThat(pair.fences(21)).isEqualTo("MOVED 2 / IMPORTING 1");

            pair.target.failOver();

            assertThat(aborting.idle().failure()).isPresent();
            assertThat(pair.fences(21)).isEqualTo("MOVED 2 / IMPORTING 1");
        }
        abortAgain(task);
    }

    @Test
    @Tag("long")
    void case33AReclaimThatAFailoverForgetsIsDoneAgain() {
        MoveTask task = fencedAndLeft(22);
        Interruption stalling = new Interruption().before(MoverStep.RECLAIM_SOURCE, pair.source::stall);
        try (MoverDriver aborting = new MoverDriver(task, stalling)) {
            aborting.begin(Command.ABORT);
            pair.source.awaitCommitThatWaitsForTheStandby();
            assertThat(pair.fences(22)).isEqualTo("MOVED 2 / ABORTED 1");

            pair.source.failOver();

            assertThat(aborting.idle().failure()).isPresent();
            assertThat(pair.fences(22)).isEqualTo("MOVED 2 / ABORTED 1");
        }
        abortAgain(task);
    }

    /** The fence is on the standby, too, and its mover is dead. */
    private MoveTask fencedAndLeft(int bucket) {
        MoveTask task = pair.task(bucket);
        pair.fenceAndDie(task);
        return task;
    }

    private void abortAgain(MoveTask task) {
        pair.heal();
        try (MoverDriver next = new MoverDriver(pair.again(task))) {
            next.done(Command.ABORT);
        }
        assertThat(pair.fences(task.scopes().first().bucket())).isEqualTo("OWNED 3 / ABORTED 1");
        pair.awaitNothingLeft(task);
    }
}
