package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.MoverDriver.failureOf;
import static io.shardwright.dataplane.postgres.move.OrderRows.insert;
import static io.shardwright.dataplane.postgres.move.OrderRows.notes;
import static io.shardwright.dataplane.postgres.move.OrderRows.plant;
import static io.shardwright.dataplane.postgres.move.OrderRows.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import io.shardwright.servers.Eventually;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A move that is taken back: what was written meanwhile is there, and there is one owner whatever happens on the way. */
class ReversalIT {
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
    void aMoveThatIsTakenBackUnderLoadLosesNothingAndLeavesNothing() {
        try (LiveLoad load = new LiveLoad(pair, 4, 120, 17, 42, 63, 5);
                RoundTrip trip = new RoundTrip(pair.task(17, 42, 63))) {
            trip.go();
            assertThat(trip.back().report().stage()).isEqualTo(Stage.FOLLOWING);
            assertThat(trip.there.report().stage()).isEqualTo(Stage.RETIRED);
            long before = load.ledger.size();
            Eventually.until("writes on the target", () -> load.ledger.size() > before + 60);

            trip.comeBack();

            assertThat(load.stopAndCompare()).isEmpty();
        }
        for (int bucket : List.of(17, 42, 63)) {
            assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("OWNED 3");
            assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("MOVED 3");
            assertThat(MovePair.rows(pair.here, "orders", bucket)).isPositive();
            assertThat(MovePair.rows(pair.there, "orders", bucket)).isZero();
            assertThat(MovePair.rows(pair.there, "order_items", bucket)).isZero();
        }
    }

    @Tag("long")
    @Test
    void aBucketThatCameBackMovesAgain() {
        plant(pair, 1);
        for (int round = 0; round < 2; round++) {
            try (RoundTrip trip = new RoundTrip(pair.task(1))) {
                trip.go();
                write(pair.there, insert(1, 2 + round, "there"));
                trip.comeBack();
            }
        }
        assertThat(MovePair.fence(pair.here, 1)).isEqualTo("OWNED 5");
        assertThat(notes(pair.here, 1)).isEqualTo("1row,2there,3there");
    }

    /** While one part of the set is there and the other still travels, each side's stream sees what the other one wrote. */
    @Test
    void whatAMoverWritesDoesNotGoRound() {
        plant(pair, 2);
        plant(pair, 3);
        try (RoundTrip trip = new RoundTrip(pair.task(2, 3))) {
            trip.back().done(Command.FOLLOW);
            trip.there.done(Command.PREPARE, Command.VERIFY);
            write(pair.here, insert(3, 2, "streamed"));
            trip.there.switchEach(Scope.buckets(2));
            write(pair.there, insert(2, 2, "there"));
            trip.back().done(Command.GATE);
            assertThat(notes(pair.here, 2)).isEqualTo("1row,2there");
            pair.here.plant("UPDATE shardwright.move_progress SET token = token WHERE direction = 'R';"
                    + insert(3, 9, "by a mover"));
            trip.there.done(Command.GATE);
            trip.back().done(Command.GATE);
            assertThat(notes(pair.there, 2)).isEqualTo("1row,2there");
            assertThat(notes(pair.there, 3)).isEqualTo("1row,2streamed");
            pair.here.plant("DELETE FROM orders WHERE id = 9 AND tenant_id = " + ShopDatabase.keyIn(3));
            trip.there.switchEach(Scope.buckets(3));
            trip.there.done(Command.RETIRE);
            trip.comeBack();
        }
    }

    @Test
    void onlyWhatHasMovedGoesBack() {
        plant(pair, 13);
        plant(pair, 14);
        try (RoundTrip trip = new RoundTrip(pair.task(13, 14))) {
            trip.back().done(Command.FOLLOW);
            trip.there.done(Command.PREPARE, Command.VERIFY);
            trip.there.switchEach(Scope.buckets(13));
            trip.there.done(Command.ABORT, Command.RETIRE);
            write(pair.there, insert(13, 2, "there"));
            assertThat(MovePair.rows(pair.there, "orders", 14)).isZero();
            trip.back().done(Command.VERIFY, Command.PREPARE, Command.VERIFY);
            trip.back().switchEach(Scope.buckets(13));
            trip.there.done(Command.RETIRE); // what has come back had been there
            assertThat(failureOf(trip.back().run(Command.ABORT)).message()).contains("back on shard ds-0 already");
            trip.back().done(Command.CLEAN_UP);
            trip.there.done(Command.CLEAN_UP);
        }
        assertThat(MovePair.fence(pair.here, 13)).isEqualTo("OWNED 3");
        assertThat(MovePair.fence(pair.here, 14)).isEqualTo("OWNED 3");
        assertThat(notes(pair.here, 13)).isEqualTo("1row,2there");
        assertThat(MovePair.rows(pair.there, "orders", 13) + MovePair.rows(pair.there, "orders", 14))
                .isZero();
    }

    /** Once the way back is taken down the rows behind the tombstone may go: nobody may call them his own then. */
    @Test
    void aReversalThatWakesUpAfterATakeoverBeginsNothing() {
        plant(pair, 18);
        Freezing freezing = Freezing.later(MoverStep.BEGIN_REVERSAL);
        try (RoundTrip trip = new RoundTrip(pair.task(18), freezing)) {
            trip.go();
            freezing.arm();
            trip.back().mover().begin(Command.PREPARE);
            freezing.awaitFrozen();
            trip.takeTheToken(pair);
            freezing.thaw();
            assertThat(failureOf(trip.back().idle()).kind()).isEqualTo(Kind.SUPERSEDED);
            assertThat(MovePair.fence(pair.here, 18)).isEqualTo("MOVED 2");
            trip.nextBack();
            trip.stay();
        }
    }

    /** Its sessions live on: only the token stands between it and the rows. */
    @Test
    void anApplierThatWakesUpAfterATakeoverWritesNothing() {
        plant(pair, 12);
        Freezing freezing = Freezing.later(MoverStep.APPLY);
        try (RoundTrip trip = new RoundTrip(pair.task(12), freezing)) {
            trip.go();
            freezing.arm();
            write(pair.there, insert(12, 2, "once"));
            freezing.awaitFrozen();
            trip.takeTheToken(pair);
            freezing.thaw();
            assertThat(failureOf(trip.back()
                                    .await("its end", now -> now.failure().isPresent()))
                            .kind())
                    .isEqualTo(Kind.SUPERSEDED);
            assertThat(notes(pair.here, 12)).isEqualTo("1row");
            trip.nextBack();
            trip.comeBack();
        }
        assertThat(notes(pair.here, 12)).isEqualTo("1row,2once");
    }
}
