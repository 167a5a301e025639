package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A move that is taken back: what was written meanwhile is there, and there is one owner whatever happens on the way. */
class ReversalIT {
    private static final Limits HASTY =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofMillis(500), 1 << 20, 1, false);

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterAll
    static void nothingIsLeft() {
        assertThat(pair.leftovers()).isEmpty();
        for (ShopDatabase database : List.of(pair.here, pair.there)) {
            Eventually.holds(
                    "the sessions of all movers to end",
                    () -> database.count("pg_stat_activity WHERE datname = current_database()"
                                    + " AND application_name LIKE 'shardwright/%'")
                            == 0);
        }
    }

    private static void plant(int bucket) {
        pair.here.plant("INSERT INTO orders VALUES (" + ShopDatabase.keyIn(bucket) + ", 1, 'row')");
    }

    /** As an application that knows where the bucket is. */
    private static void write(ShopDatabase owner, String sql) {
        try (Connection app = owner.app();
                Statement statement = app.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String insert(int bucket, int id, String note) {
        return "INSERT INTO orders VALUES (" + ShopDatabase.keyIn(bucket) + ", " + id + ", '" + note + "')";
    }

    private static String notes(ShopDatabase database, int bucket) {
        return database.value("SELECT string_agg(id || note, ',' ORDER BY id) FROM orders WHERE tenant_id = "
                + ShopDatabase.keyIn(bucket));
    }

    private static Failure failureOf(MoveReport report) {
        return report.failure().orElseThrow();
    }

    @Test
    void aMoveThatIsTakenBackUnderLoadLosesNothingAndLeavesNothing() {
        try (LiveLoad load = new LiveLoad(pair, 4, 120, 17, 42, 63, 5);
                RoundTrip trip = new RoundTrip(pair.task(17, 42, 63))) {
            trip.go();
            assertThat(trip.back().report().stage()).isEqualTo(Stage.FOLLOWING);
            assertThat(trip.there.report().stage()).isEqualTo(Stage.RETIRED);
            long before = load.ledger.size();
            Eventually.holds("writes on the target", () -> load.ledger.size() > before + 60);

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
        plant(1);
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
        plant(2);
        plant(3);
        try (RoundTrip trip = new RoundTrip(pair.task(2, 3))) {
            trip.back().done(Command.FOLLOW);
            trip.there.done(Command.PREPARE, Command.VERIFY);
            write(pair.here, insert(3, 2, "streamed"));
            trip.there.switchEach(new TreeSet<>(Set.of(2)));
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
            trip.there.switchEach(new TreeSet<>(Set.of(3)));
            trip.there.done(Command.RETIRE);
            trip.comeBack();
        }
    }

    @Test
    void aWayBackThatIsLostBeforeTheFenceIsMadeAnewAndAfterItIsTheEndOfIt() {
        plant(4);
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
        plant(10);
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
        plant(22);
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
        Eventually.holds(
                "the slot to be free",
                () -> pair.there.count("pg_replication_slots WHERE active AND slot_name = '" + slot + "'") == 0);
        pair.there.value("SELECT pg_drop_replication_slot('" + slot + "')");
    }

    @Test
    void aConflictEndsTheWayBackAndTheMoveGoesOn() {
        plant(6);
        plant(7);
        try (RoundTrip trip = new RoundTrip(pair.task(6, 7))) {
            trip.back().done(Command.FOLLOW);
            trip.there.done(Command.PREPARE, Command.VERIFY);
            trip.there.switchEach(new TreeSet<>(Set.of(6)));
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
            trip.there.switchEach(new TreeSet<>(Set.of(7)));
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
        plant(16);
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
        plant(19);
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

    /** Once the way back is taken down the rows behind the tombstone may go: nobody may call them his own then. */
    @Test
    void aReversalThatWakesUpAfterATakeoverBeginsNothing() {
        plant(18);
        Freezing freezing = Freezing.later(MoverStep.BEGIN_REVERSAL);
        try (RoundTrip trip = new RoundTrip(pair.task(18), freezing)) {
            trip.go();
            freezing.arm();
            trip.back().mover().begin(Command.PREPARE);
            freezing.awaitFrozen();
            takeTheToken(trip);
            freezing.thaw();
            assertThat(failureOf(trip.back().idle()).kind()).isEqualTo(Kind.SUPERSEDED);
            assertThat(MovePair.fence(pair.here, 18)).isEqualTo("MOVED 2");
            trip.nextBack();
            trip.stay();
        }
    }

    private static void takeTheToken(RoundTrip trip) {
        pair.here.plant("UPDATE shardwright.move_progress SET token = 'successor' WHERE move_id = '"
                + trip.task.reversal().moveId() + "'");
    }

    @Test
    void aReversalThatIsAbortedLeavesTheTombstoneWithItsRowsAndTheMoveEnds() {
        plant(8);
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
        plant(23);
        Freezing freezing = Freezing.later(MoverStep.REMOVE_RECORDS);
        try (RoundTrip trip = new RoundTrip(pair.task(23), freezing)) {
            trip.go();
            freezing.arm();
            trip.back().mover().begin(Command.ABORT);
            freezing.awaitFrozen();
            takeTheToken(trip);
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
        plant(9);
        DyingMover dying = new DyingMover(MoverStep.ACTIVATE_TARGET, true);
        try (RoundTrip trip = new RoundTrip(pair.task(9), dying)) {
            trip.go();
            dying.kills(trip.back());
            trip.back().done(Command.PREPARE, Command.VERIFY);
            trip.back().switchEach(trip.task.buckets());
            dying.awaitDeath();
            assertThat(MovePair.fence(pair.there, 9)).isEqualTo("MOVED 3");

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
        plant(11);
        Freezing hanging = new Freezing(MoverStep.ACTIVATE_TARGET);
        try (RoundTrip trip = new RoundTrip(pair.task(HASTY, 11), hanging)) {
            trip.go();
            trip.back().done(Command.PREPARE, Command.VERIFY);
            trip.back().mover().beginSwitch(trip.task.buckets());
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

    /** Its sessions live on: only the token stands between it and the rows. */
    @Test
    void anApplierThatWakesUpAfterATakeoverWritesNothing() {
        plant(12);
        Freezing freezing = Freezing.later(MoverStep.APPLY);
        try (RoundTrip trip = new RoundTrip(pair.task(12), freezing)) {
            trip.go();
            freezing.arm();
            write(pair.there, insert(12, 2, "once"));
            freezing.awaitFrozen();
            takeTheToken(trip);
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

    @Test
    void onlyWhatHasMovedGoesBack() {
        plant(13);
        plant(14);
        try (RoundTrip trip = new RoundTrip(pair.task(13, 14))) {
            trip.back().done(Command.FOLLOW);
            trip.there.done(Command.PREPARE, Command.VERIFY);
            trip.there.switchEach(new TreeSet<>(Set.of(13)));
            trip.there.done(Command.ABORT, Command.RETIRE);
            write(pair.there, insert(13, 2, "there"));
            assertThat(MovePair.rows(pair.there, "orders", 14)).isZero();
            trip.back().done(Command.VERIFY, Command.PREPARE, Command.VERIFY);
            trip.back().switchEach(new TreeSet<>(Set.of(13)));
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

    @Test
    void aWayBackThatIsNotNeededIsTakenDownBeforeAnyRowIsDeleted() {
        plant(15);
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
