package io.shardwright.dataplane.postgres.move;

import static io.shardwright.dataplane.postgres.move.MoverDriver.failureOf;
import static io.shardwright.dataplane.postgres.move.OrderRows.insert;
import static io.shardwright.dataplane.postgres.move.OrderRows.notes;
import static io.shardwright.dataplane.postgres.move.OrderRows.plant;
import static io.shardwright.dataplane.postgres.move.OrderRows.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import io.shardwright.servers.Eventually;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A way back that nobody has taken yet, or that nobody can take any more: it is made anew, found lost, compared or taken down. */
class WayBackIT {
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
    void aWayBackThatIsLostBeforeTheFenceIsMadeAnewAndAfterItIsTheEndOfIt() {
        plant(pair, 4);
        try (RoundTrip trip = new RoundTrip(pair.task(4))) {
            trip.back().done(Command.FOLLOW);
            trip.nextBack();
            dropSlot(trip);
            trip.go();
            trip.nextBack();
            dropSlot(trip);
            for (Command command : List.of(Command.FOLLOW, Command.PREPARE)) {
                Failure lost = failureOf(trip.back().run(command));
                assertThat(lost.kind()).isEqualTo(Kind.POSITION_LOST);
                assertThat(lost.curable()).isFalse();
                assertThat(lost.nextAction()).contains("BucketMove from ds-4 to ds-0");
            }
            trip.stay();
        }
        assertThat(MovePair.fence(pair.there, 4)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.here, "orders", 4)).isZero();
    }

    @Test
    void aFenceThatComesWhileTheSlotIsBeingMadeIsTooEarlyForIt() {
        plant(pair, 10);
        MoveTask task = pair.task(10);
        StepBoundary fencing = new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == MoverStep.CREATE_SLOT) {
                    pair.here.plant("UPDATE shardwright.fence SET state = 'MOVED', epoch = 2, move_id = '"
                            + task.moveId() + "' WHERE bucket = 10");
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
        try (RoundTrip trip = new RoundTrip(task, fencing)) {
            trip.there.done(Command.PREPARE);
            assertThat(failureOf(trip.back().run(Command.FOLLOW)).kind()).isEqualTo(Kind.POSITION_LOST);
            assertThat(tracesOfWayBack(trip)).isEmpty();
            trip.there.done(Command.PREPARE); // finishes what is fenced
            trip.stay();
        }
    }

    /** Two leaders overlap: what one has seen, another has taken down before it claims. */
    @Test
    void aWayBackThatIsFoundGoneAfterTheClaimLeavesNoClaim() {
        plant(pair, 22);
        Freezing freezing = Freezing.later(MoverStep.CLAIM_TOKEN);
        try (RoundTrip trip = new RoundTrip(pair.task(22), freezing)) {
            trip.go();
            freezing.arm();
            trip.back().mover().begin(Command.FOLLOW);
            freezing.awaitFrozen();
            dropSlot(trip);
            String ofWayBack = " WHERE move_id = '" + trip.task.reversal().moveId() + "'";
            pair.here.plant("DELETE FROM shardwright.move_progress" + ofWayBack);
            pair.there.plant("DELETE FROM shardwright.claim" + ofWayBack + "; DELETE FROM shardwright.cleanup_record"
                    + ofWayBack + "; DELETE FROM shardwright.heartbeat" + ofWayBack);
            freezing.thaw();
            assertThat(failureOf(trip.back().idle()).kind()).isEqualTo(Kind.POSITION_LOST);
            assertThat(tracesOfWayBack(trip)).isEmpty();
            trip.there.done(Command.CLEAN_UP);
        }
    }

    private static String tracesOfWayBack(RoundTrip trip) {
        String ofWayBack = " WHERE move_id = '" + trip.task.reversal().moveId() + "'";
        String rows = "SELECT string_agg(what, ',') FROM (SELECT 'progress' AS what FROM shardwright.move_progress"
                + ofWayBack + " UNION ALL SELECT 'claim' FROM shardwright.claim" + ofWayBack
                + " UNION ALL SELECT kind FROM shardwright.cleanup_record" + ofWayBack
                + " UNION ALL SELECT slot_name FROM pg_replication_slots WHERE slot_name = '"
                + slotOfWayBack(trip) + "') AS traces";
        return Stream.of(pair.here.value(rows), pair.there.value(rows))
                .filter(Objects::nonNull)
                .collect(Collectors.joining(","));
    }

    private static String slotOfWayBack(RoundTrip trip) {
        return "shardwright_" + trip.task.reversal().moveId().toString().replace("-", "") + "_r";
    }

    private static void dropSlot(RoundTrip trip) {
        String slot = slotOfWayBack(trip);
        Eventually.until(
                "the slot to be free",
                () -> pair.there.count("pg_replication_slots WHERE active AND slot_name = '" + slot + "'") == 0);
        pair.there.value("SELECT pg_drop_replication_slot('" + slot + "')");
    }

    @Test
    void aConflictEndsTheWayBackAndTheMoveGoesOn() {
        plant(pair, 6);
        plant(pair, 7);
        try (RoundTrip trip = new RoundTrip(pair.task(6, 7))) {
            trip.back().done(Command.FOLLOW);
            trip.there.done(Command.PREPARE, Command.VERIFY);
            trip.there.switchEach(Scope.buckets(6));
            pair.here.plant("CREATE UNIQUE INDEX only_here ON orders (tenant_id, note) WHERE id IN (8, 9);"
                    + insert(6, 8, "taken"));
            write(pair.there, insert(6, 9, "taken"));
            Failure conflict = failureOf(
                    trip.back().await("the conflict", now -> now.failure().isPresent()));
            assertThat(conflict.kind()).isEqualTo(Kind.DIVERGED);
            assertThat(conflict.curable()).isFalse();
            assertThat(conflict.message()).contains("cannot be reversed any more", "only_here");
            pair.here.plant("DROP INDEX only_here");
            trip.nextBack();
            for (Command command : List.of(Command.FOLLOW, Command.PREPARE, Command.VERIFY)) {
                assertThat(failureOf(trip.back().run(command)))
                        .as("whoever comes later is told the same")
                        .isEqualTo(conflict);
            }
            trip.there.done(Command.PREPARE, Command.VERIFY); // the index was a change of the table
            trip.there.switchEach(Scope.buckets(7));
            trip.stay();
        }
        assertThat(MovePair.fence(pair.there, 7)).isEqualTo("OWNED 2");
    }

    @Tag("long")
    @Test
    void aTableThatChangesOnTheNewOwnerEndsTheWayBackAndNothingElse() {
        MovePair own = MovePair.upwards();
        try (RoundTrip trip = new RoundTrip(own.task(6))) {
            trip.go();
            own.there.plant("ALTER TABLE orders ADD COLUMN extra text");
            write(own.there, "INSERT INTO orders VALUES (" + ShopDatabase.keyIn(6) + ", 1, 'new', 'extra')");
            Failure changed = failureOf(
                    trip.back().await("the change", now -> now.failure().isPresent()));
            assertThat(changed.kind()).isEqualTo(Kind.SCHEMA_CHANGED);
            assertThat(changed.curable()).isFalse();
            trip.stay();
        }
        assertThat(MovePair.fence(own.there, 6)).isEqualTo("OWNED 2");
        assertThat(own.leftovers()).isEmpty();
    }

    @Test
    void rowsThatDifferAreNotTakenBack() {
        plant(pair, 16);
        try (RoundTrip trip = new RoundTrip(pair.task(16))) {
            trip.go();
            pair.here.plant("UPDATE orders SET note = 'foreign' WHERE tenant_id = " + ShopDatabase.keyIn(16));
            trip.back().done(Command.PREPARE);
            Failure differs = failureOf(trip.back().run(Command.VERIFY));
            assertThat(differs.kind()).isEqualTo(Kind.DIVERGED);
            assertThat(differs.curable()).isFalse();
            assertThat(failureOf(trip.back().run(Command.PREPARE))).isEqualTo(differs);
            trip.stay();
        }
        assertThat(MovePair.fence(pair.there, 16)).isEqualTo("OWNED 4");
        assertThat(notes(pair.there, 16)).isEqualTo("1row");
    }

    @Test
    void aDifferenceThatIsFoundBeforeAnythingGoesBackEndsNothing() {
        plant(pair, 19);
        String mended = "UPDATE orders SET note = 'row' WHERE id = 1 AND tenant_id = " + ShopDatabase.keyIn(19);
        try (RoundTrip trip = new RoundTrip(pair.task(19))) {
            trip.go();
            pair.here.plant(mended.replace("'row'", "'flipped'"));
            assertDiffers(trip);
            assertDiffers(trip);
            trip.nextBack().done(Command.FOLLOW);
            assertDiffers(trip);
            write(pair.there, insert(19, 2, "there"));
            pair.here.plant(mended);
            assertThat(trip.back().done(Command.VERIFY).stage()).isEqualTo(Stage.VERIFIED);
            assertThat(notes(pair.here, 19)).isEqualTo("1row,2there");
            pair.here.plant(mended.replace("'row'", "'flipped'"));
            assertDiffers(trip);
            write(pair.there, mended); // what the owner writes again is right on both sides
            trip.back().done(Command.VERIFY);
            trip.comeBack();
        }
    }

    private static void assertDiffers(RoundTrip trip) {
        MoveReport report = trip.back().run(Command.VERIFY);
        assertThat(report.stage()).isEqualTo(Stage.FOLLOWING);
        assertThat(failureOf(report).kind()).isEqualTo(Kind.DIVERGED);
        assertThat(failureOf(report).curable()).isTrue();
        assertThat(failureOf(report).nextAction()).contains("shard ds-4 owns them", "compared again");
    }

    @Test
    void aWayBackThatIsNotNeededIsTakenDownBeforeAnyRowIsDeleted() {
        plant(pair, 15);
        try (RoundTrip trip = new RoundTrip(pair.task(15))) {
            assertThat(failureOf(trip.there.run(Command.RETIRE)).message()).contains("not on shard ds-4 yet");
            trip.go();
            assertThat(failureOf(trip.there.run(Command.CLEAN_UP)).message()).contains("the way back");
            assertThat(MovePair.rows(pair.here, "orders", 15)).isOne();
            trip.stay();
            trip.back().done(Command.ABORT);
            assertThat(failureOf(trip.back().run(Command.PREPARE)).curable()).isFalse();
            trip.there.done(Command.RETIRE);
        }
        assertThat(MovePair.fence(pair.there, 15)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.here, "orders", 15)).isZero();
    }
}
