package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.MoverDriver.failureOf;
import static io.shardwright.dataplane.postgres.move.OrderRows.insert;
import static io.shardwright.dataplane.postgres.move.OrderRows.notes;
import static io.shardwright.dataplane.postgres.move.OrderRows.plant;
import static io.shardwright.dataplane.postgres.move.OrderRows.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A reversal that is decided against: the buckets stay where they are, and the move that it wanted to take back ends well. */
class ReversalAbortIT {
    private static final Limits HASTY =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofMillis(500), 1 << 20, 1, false);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    @Test
    void aReversalThatIsAbortedLeavesTheTombstoneWithItsRowsAndTheMoveEnds() {
        plant(pair, 8);
        try (RoundTrip trip = new RoundTrip(pair.task(8))) {
            trip.go();
            trip.back().done(Command.PREPARE);
            assertThat(MovePair.fence(pair.here, 8)).isEqualTo("IMPORTING 2");
            assertThat(failureOf(trip.there.run(Command.CLEAN_UP)).message()).contains("not decided");
            assertThat(failureOf(trip.there.run(Command.ABORT)).message()).contains("already");

            assertThat(trip.back().done(Command.ABORT).stage()).isEqualTo(Stage.ABORTED);

            assertStays(trip, 8);
        }
    }

    @Test
    void anAbortThatSomebodyElseHasTakenOverHasTakenNothingDown() {
        plant(pair, 23);
        Freezing freezing = Freezing.later(MoverStep.REMOVE_RECORDS);
        try (RoundTrip trip = new RoundTrip(pair.task(23), freezing)) {
            trip.go();
            freezing.arm();
            trip.back().mover().begin(Command.ABORT);
            freezing.awaitFrozen();
            trip.takeTheToken(pair);
            for (String table : List.of("claim", "cleanup_record")) {
                pair.there.plant("UPDATE shardwright." + table + " SET token = 'successor' WHERE move_id = '"
                        + trip.task.reversal().moveId() + "'");
            }
            freezing.thaw();
            assertThat(failureOf(trip.back().idle()).kind()).isEqualTo(Kind.SUPERSEDED);
            assertThat(trip.back().report().stage()).isEqualTo(Stage.NONE);
            trip.nextBack();
            trip.stay();
        }
    }

    @Test
    void aReversalThatIsAbortedAfterItsFenceReopensTheTarget() {
        plant(pair, 9);
        DyingMover dying = new DyingMover(MoverStep.ACTIVATE_TARGET, true);
        try (RoundTrip trip = new RoundTrip(pair.task(9), dying)) {
            trip.go();
            dying.kills(trip.back());
            trip.back().done(Command.PREPARE, Command.VERIFY);
            trip.back().switchEach(trip.task.scopes());
            dying.awaitDeath();
            MovePair.awaitFence(pair.there, 9, "MOVED 3");

            trip.nextBack().done(Command.ABORT);

            assertStays(trip, 9);
        }
    }

    /** The reversal was decided against: the move it wanted to take back ends as if there had been none. */
    private static void assertStays(RoundTrip trip, int bucket) {
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("OWNED 4");
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("MOVED 4");
        assertThat(pair.here.value("SELECT owner FROM shardwright.fence WHERE bucket = " + bucket))
                .isEqualTo("ds-4");
        assertThat(MovePair.rows(pair.here, "orders", bucket)).isOne();
        assertThat(failureOf(trip.back().run(Command.PREPARE)).kind()).isEqualTo(Kind.DECIDED_AGAINST);
        write(pair.there, insert(bucket, 3, "goes on"));
        trip.stay();
        assertThat(MovePair.rows(pair.here, "orders", bucket)).isZero();
        assertThat(notes(pair.there, bucket)).isEqualTo("1row,3goes on");
    }

    @Test
    void theWatchdogEndsThePauseOfAReversal() {
        plant(pair, 11);
        Freezing hanging = new Freezing(MoverStep.ACTIVATE_TARGET);
        try (RoundTrip trip = new RoundTrip(pair.task(HASTY, 11), hanging)) {
            trip.go();
            trip.back().done(Command.PREPARE, Command.VERIFY);
            trip.back().mover().beginSwitch(trip.task.scopes());
            trip.back()
                    .await(
                            "the watchdog",
                            now -> now.failure()
                                    .filter(failure -> failure.kind() == Kind.DECIDED_AGAINST)
                                    .isPresent());
            assertThat(MovePair.fence(pair.there, 11)).isEqualTo("OWNED 4");
            assertThat(MovePair.fence(pair.here, 11)).isEqualTo("ABORTED 2");
            hanging.thaw();
            trip.back().idle();
            trip.back().done(Command.ABORT);
            assertStays(trip, 11);
        }
    }
}
