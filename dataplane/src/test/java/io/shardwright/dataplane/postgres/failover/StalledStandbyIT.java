package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The stream brings the marker as soon as the source has flushed the fence, while the fence's commit still waits for the
 * synchronous standby. If that standby takes over, the fence has never been.
 */
class StalledStandbyIT {
    private FailoverPair pair;

    @BeforeEach
    void makeWhole() {
        pair = FailoverPair.whole();
    }

    @Test
    void case33TheMarkerAloneActivatesNothingAndTheStandbyThatNeverSawTheFenceIsTheOnlyOwner() {
        MoveTask task = pair.task(17);
        Interruption stalling = new Interruption().before(MoverStep.FENCE_SOURCE, pair.source::stall);
        try (LedgerWriter writer = new LedgerWriter(pair, 17);
                MoverDriver mover = new MoverDriver(task, stalling)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.beginSwitch();
            stalling.awaitReached(MoverStep.ACTIVATE_TARGET);
            pair.source.awaitCommitThatWaitsForTheStandby();
            assertThat(pair.target.fence(17)).as("the marker has come").isEqualTo("IMPORTING 1");

            pair.source.failOver();

            assertThat(pair.fences(17)).isEqualTo("OWNED 1 / IMPORTING 1");
            assertThat(mover.idle().switches()).noneMatch(MoveReport.Switch::activated);
            assertThat(pair.fences(17)).isEqualTo("OWNED 1 / IMPORTING 1");
            moveAgain(task);
            assertThat(pair.fences(17)).isEqualTo("MOVED 2 / OWNED 2");
            assertThat(writer.differences()).isEmpty();
            assertThat(writer.acknowledged()).isPositive();
        }
    }

    /** The contrast: the same servers, the same pieces, one rule less. */
    @Test
    void case33AMoverThatActivatesOnTheMarkerAloneMakesTwoOwners() throws MoverFault, SQLException {
        MoveTask task = pair.task(18);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
        }
        try (OnTheMarkerAlone mutant = new OnTheMarkerAlone(task, 1)) {
            pair.source.stall();
            CompletableFuture<Void> fence = mutant.fence();
            assertThat(mutant.activated()).succeedsWithin(Duration.ofSeconds(30));
            assertThat(fence).isNotDone();

            pair.source.failOver();

            assertThat(fence).failsWithin(Duration.ofSeconds(30));
        }
        assertThat(pair.fences(18)).isEqualTo("OWNED 1 / OWNED 2");
        assertThat(pair.owners(18)).containsExactly("ds-0", "ds-4");
    }

    /** The fence is answered, without a warning, and no server has it but the one that is about to go. */
    @Test
    void case33AnAnswerForWhichNobodyWaitedActivatesNothing() {
        MoveTask task = pair.task(19);
        Interruption stalling = new Interruption().before(MoverStep.FENCE_SOURCE, pair.source::stall);
        try (MoverDriver mover = new MoverDriver(task, stalling)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.beginSwitch();
            pair.source.awaitCommitThatWaitsForTheStandby();

            pair.source.emptyTheListOfStandbys();

            MoveReport report = mover.idle();
            assertThat(report.failure().orElseThrow().message()).contains("ds-0", "not confirmed");
            assertThat(pair.fences(19)).isEqualTo("MOVED 2 / IMPORTING 1");
            pair.source.failOver();
            assertThat(pair.fences(19)).isEqualTo("OWNED 1 / IMPORTING 1");
        }
        moveAgain(task);
        assertThat(pair.fences(19)).isEqualTo("MOVED 2 / OWNED 2");
    }

    /** The next mover finds another timeline, so it copies again. */
    private void moveAgain(MoveTask task) {
        pair.heal();
        try (MoverDriver next = new MoverDriver(pair.again(task))) {
            next.done(Command.PREPARE, Command.VERIFY);
            next.switchOver();
        }
    }
}
