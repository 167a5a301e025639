package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTrace;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardTraces;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.SweepOrder;
import io.shardwright.dataplane.SweepOrder.Swap;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.RunbookSql;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.sweep.PostgresLeftovers;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.Eventually;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a move has left on one shard goes by its records, each shard alone, however often somebody dies over it. */
class LeftoversIT {
    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    @AfterEach
    void nothingIsLeft() {
        pair.assertNothingLeft();
    }

    @Test
    void whatACopyHasLeftGoesFromEachShardAloneAndTheBucketMovesAgain() throws ShardException {
        MoveTask task = copied(1);

        sweep(pair.hereAccess(), task.moveId());

        assertThat(pair.leftovers()).doesNotContain("slot", "claim").contains("progress", "record rows b:1");
        assertThat(MovePair.rows(pair.there, "orders", 1)).isOne();

        sweep(pair.thereAccess(), task.moveId());

        pair.assertNothingLeft();
        assertThat(MovePair.fence(pair.here, 1)).isEqualTo("OWNED 1");
        assertThat(MovePair.fence(pair.there, 1)).isEqualTo("ABORTED 1");
        assertThat(MovePair.rows(pair.here, "orders", 1)).isOne();
        assertThat(MovePair.rows(pair.there, "orders", 1)).isZero();
        try (MoverDriver next = new MoverDriver(pair.task(1))) {
            next.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            next.switchEach(MovePair.set(1));
            next.done(Command.CLEAN_UP);
        }
        assertThat(MovePair.fence(pair.there, 1)).isEqualTo("OWNED 2");
    }

    @Test
    void aSlotOfKeysGoesAndTheirRecordsStayForPeople() throws ShardException {
        MoveTask task = pair.ofKeys(ShopDatabase.keyIn(9));
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE);
        }
        assertThat(seen(pair.thereAccess(), task.moveId()).unknown()).anyMatch(name -> name.startsWith("undecided k:"));
        sweep(pair.hereAccess(), task.moveId());

        assertThat(pair.leftovers()).doesNotContain("slot", "claim").contains("record rows k:");
        assertThat(seen(pair.hereAccess(), task.moveId()).unknown())
                .allMatch(name -> name.startsWith("rows k:sha256:"));
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.ABORT);
        }
    }

    @Test
    void theRowsBehindATombstoneStayWithTheirRecord() throws ShardException {
        MoveTask task = switched(2);

        sweep(pair.hereAccess(), task.moveId());
        sweep(pair.thereAccess(), task.moveId());

        assertThat(pair.leftovers()).isEqualTo("record rows b:2");
        assertThat(MovePair.fence(pair.here, 2)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, 2)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.here, "orders", 2)).isOne();

        asTheRunbookSays(pair.there, 2, task.moveId());
        assertThat(MovePair.rows(pair.there, "orders", 2)).as("of the owner").isOne();
        asTheRunbookSays(pair.here, 2, task.moveId());
        assertThat(MovePair.rows(pair.here, "orders", 2)).isZero();
        pair.assertNothingLeft();
    }

    private static void asTheRunbookSays(ShopDatabase shard, int bucket, UUID move) {
        RunbookSql.of("ShardwrightLeftovers", "DELETE FROM", bucket, move).forEach(line -> line.on(shard));
    }

    @Test
    void aRecordIsNotRemovedWhileTheRowsThatItNamesAreBehindATombstone() throws ShardException {
        MoveTask task = switched(3);
        MoveTrace seen = quiet(pair.hereAccess(), task.moveId());

        assertThatThrownBy(() -> leftovers()
                        .sweep(
                                pair.hereAccess(),
                                ShopDatabase.SCHEMA,
                                new SweepOrder(seen, List.of(), new TreeSet<>(), new TreeSet<>(), false)))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("not any more as it was seen");

        assertThat(pair.leftovers()).contains("record rows b:3");
        finish(task);
    }

    @Test
    void aWayBackThatHadBegunLeavesTheTombstoneAndItsRows() throws ShardException {
        MoveTask task = copied(4);
        MoveTask back = task.reversal();
        try (MoverDriver there = new MoverDriver(task);
                MoverDriver way = new MoverDriver(back)) {
            there.done(Command.PREPARE, Command.VERIFY);
            way.done(Command.FOLLOW);
            there.switchEach(task.scopes());
            way.done(Command.PREPARE);
        }
        assertThat(MovePair.fence(pair.here, 4)).isEqualTo("IMPORTING 2");

        sweep(pair.thereAccess(), back.moveId());
        FenceRow importing = look(pair.hereAccess()).fence().get(4);
        FenceRow tombstone = new FenceRow(4, FenceState.MOVED, 2, "ds-4", task.moveId());
        MoveTrace seen = seen(pair.hereAccess(), back.moveId());
        leftovers()
                .sweep(
                        pair.hereAccess(),
                        ShopDatabase.SCHEMA,
                        new SweepOrder(
                                seen,
                                List.of(new Swap(importing, tombstone)),
                                new TreeSet<>(),
                                new TreeSet<>(),
                                false));

        assertThat(MovePair.fence(pair.here, 4)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, 4)).isEqualTo("OWNED 2");
        assertThat(MovePair.rows(pair.here, "orders", 4)).isOne();
        assertThat(trace(pair.hereAccess(), back.moveId())).isEmpty();
        assertThat(trace(pair.thereAccess(), back.moveId())).isEmpty();
        finish(task); // the move can still be ended in the ordinary way
    }

    @Test
    void aSlotThatIsReadStaysAndItsMoverGoesOn() throws ShardException {
        OrderRows.plant(pair, 5);
        MoveTask task = pair.task(5);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE);
            Eventually.until(
                    "the stream", () -> seen(pair.hereAccess(), task.moveId()).slotActive());

            SweepOrder order = order(pair.hereAccess(), seen(pair.hereAccess(), task.moveId()));
            assertThatThrownBy(() -> leftovers().sweep(pair.hereAccess(), ShopDatabase.SCHEMA, order))
                    .isInstanceOf(ShardException.class)
                    .hasMessageContaining("is being read");

            mover.done(Command.VERIFY);
            mover.switchEach(task.scopes());
            mover.done(Command.CLEAN_UP);
        }
    }

    @Test
    void whatAnotherMoverHasTakenOverMeanwhileIsLeftToIt() throws ShardException {
        MoveTask task = copied(6);
        MoveTrace stale = quiet(pair.hereAccess(), task.moveId());
        MoveTrace staleThere = seen(pair.thereAccess(), task.moveId());
        try (MoverDriver successor = new MoverDriver(task)) {
            successor.done(Command.PREPARE);
        }
        quiet(pair.hereAccess(), task.moveId());
        String before = pair.leftovers();

        for (ShardAccess shard : List.of(pair.hereAccess(), pair.thereAccess())) {
            MoveTrace old = shard.shard().equals("ds-0") ? stale : staleThere;
            assertThatThrownBy(() -> leftovers().sweep(shard, ShopDatabase.SCHEMA, order(shard, old)))
                    .isInstanceOf(ShardException.class)
                    .hasMessageContaining("not any more as it was seen");
        }

        assertThat(pair.leftovers()).isEqualTo(before);
        assertThat(MovePair.fence(pair.there, 6)).isEqualTo("IMPORTING 1");
        assertThat(MovePair.rows(pair.there, "orders", 6)).isOne();
        sweep(pair.hereAccess(), task.moveId());
        sweep(pair.thereAccess(), task.moveId());
    }

    @Test
    void doneTwiceTheSecondChangesNothing() throws ShardException {
        MoveTask task = copied(7);
        for (ShardAccess shard : List.of(pair.hereAccess(), pair.thereAccess())) {
            SweepOrder order = order(shard, quiet(shard, task.moveId()));
            leftovers().sweep(shard, ShopDatabase.SCHEMA, order);
            String before = pair.leftovers();

            assertThatThrownBy(() -> leftovers().sweep(shard, ShopDatabase.SCHEMA, order))
                    .isInstanceOf(ShardException.class);

            assertThat(pair.leftovers()).isEqualTo(before);
        }
    }

    static Stream<Arguments> deaths() {
        return Stream.of(
                        MoverStep.CLAIM_TOKEN,
                        MoverStep.ABORT_TARGET,
                        MoverStep.DELETE_TARGET_ROWS,
                        MoverStep.DROP_SLOT,
                        MoverStep.REMOVE_RECORDS)
                .flatMap(step -> Stream.of(Arguments.of(step, true), Arguments.of(step, false)));
    }

    /** After a step: its answer was lost. */
    @ParameterizedTest(name = "{0} before: {1}")
    @MethodSource("deaths")
    void whoeverComesAfterADeathFinishesIt(MoverStep step, boolean before) throws ShardException {
        int bucket = 10 + 2 * step.ordinal() + (before ? 1 : 0);
        MoveTask task = copied(bucket);
        int deaths = 0;
        for (ShardAccess shard : List.of(pair.hereAccess(), pair.thereAccess())) {
            SweepOrder order = order(shard, quiet(shard, task.moveId()));
            try {
                new PostgresLeftovers(new PostgresSessions(), new Death(step, before), new SecureRandom())
                        .sweep(shard, ShopDatabase.SCHEMA, order);
            } catch (Died e) {
                deaths++;
            }
            if (trace(shard, task.moveId()).isPresent()) {
                sweep(shard, task.moveId());
            }
        }
        assertThat(deaths).isPositive();
        assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("OWNED 1");
        assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("ABORTED 1");
        assertThat(MovePair.rows(pair.there, "orders", bucket)).isZero();
        assertThat(MovePair.rows(pair.here, "orders", bucket)).isOne();
    }

    private static final class Died extends Error {
        private static final long serialVersionUID = 1L;
    }

    private record Death(MoverStep step, boolean early) implements StepBoundary {
        @Override
        public void before(Enum<?> reached, UUID moveId) {
            if (early && reached == step) {
                throw new Died();
            }
        }

        @Override
        public void done(Enum<?> reached, UUID moveId) {
            if (!early && reached == step) {
                throw new Died();
            }
        }
    }

    @Test
    void slotsWithoutARecordAreToldAndThoseOfOthersAreNotLookedAt() throws ShardException {
        String ours = "shardwright_" + "0".repeat(31) + "7_f";
        String foreign = "reporting_" + pair.here.name();
        pair.here.value("SELECT pg_create_logical_replication_slot('" + ours + "', 'pgoutput')");
        pair.here.value("SELECT pg_create_logical_replication_slot('" + foreign + "', 'pgoutput')");
        try {
            assertThat(look(pair.hereAccess()).strangers()).containsExactly(ours);
            ShopDatabase neighbour = ShopDatabase.fenced(pair.here.server(), pair.here.name() + "_beside");
            assertThat(look(neighbour.access()).strangers()).isEmpty();
        } finally {
            pair.here.value("SELECT pg_drop_replication_slot('" + ours + "')");
            pair.here.value("SELECT pg_drop_replication_slot('" + foreign + "')");
        }
    }

    @Test
    void aPrivilegeThatIsMissingIsToldAndNothingIsDone() throws ShardException {
        MoveTask task = copied(8);
        SweepOrder order = order(pair.hereAccess(), quiet(pair.hereAccess(), task.moveId()));
        String before = pair.leftovers();
        pair.here.plant("REVOKE UPDATE ON shardwright.claim FROM shardwright_mover");

        assertThatThrownBy(() -> leftovers().sweep(pair.hereAccess(), ShopDatabase.SCHEMA, order))
                .isInstanceOfSatisfying(
                        ShardException.class, e -> assertThat(e.lasting()).isTrue())
                .hasMessageContaining("permission denied");

        assertThat(pair.leftovers()).isEqualTo(before);
        pair.here.plant("GRANT UPDATE ON shardwright.claim TO shardwright_mover");
        sweep(pair.hereAccess(), task.moveId());
        sweep(pair.thereAccess(), task.moveId());
    }

    private static MoveTask copied(int bucket) {
        OrderRows.plant(pair, bucket);
        MoveTask task = pair.task(bucket);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE);
        }
        assertThat(MovePair.rows(pair.there, "orders", bucket)).isOne();
        return task;
    }

    private static MoveTask switched(int bucket) {
        MoveTask task = copied(bucket);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
        }
        return task;
    }

    private static void finish(MoveTask task) {
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.CLEAN_UP);
        }
    }

    private static PostgresLeftovers leftovers() {
        return new PostgresLeftovers(new PostgresSessions(), StepBoundary.NONE, new SecureRandom());
    }

    private static ShardTraces look(ShardAccess shard) throws ShardException {
        return leftovers().look(shard);
    }

    private static Optional<MoveTrace> trace(ShardAccess shard, UUID move) throws ShardException {
        return look(shard).moves().stream()
                .filter(trace -> trace.move().equals(move))
                .findFirst();
    }

    private static MoveTrace seen(ShardAccess shard, UUID move) {
        try {
            return trace(shard, move).orElseThrow();
        } catch (ShardException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A server takes a moment to notice that a reader of a slot is gone. */
    private static MoveTrace quiet(ShardAccess shard, UUID move) {
        Eventually.until("nobody to read the slot", () -> !seen(shard, move).slotActive());
        return seen(shard, move);
    }

    private static void sweep(ShardAccess shard, UUID move) throws ShardException {
        leftovers().sweep(shard, ShopDatabase.SCHEMA, order(shard, quiet(shard, move)));
    }

    /** As it is decided for a move that is gone and whose bucket has an owner. */
    private static SweepOrder order(ShardAccess shard, MoveTrace seen) throws ShardException {
        ShardTraces now = look(shard);
        List<Swap> undone = now.fence().values().stream()
                .filter(row -> seen.move().equals(row.moveId()) && row.state() == FenceState.IMPORTING)
                .map(row ->
                        new Swap(row, new FenceRow(row.bucket(), FenceState.ABORTED, row.epoch(), null, row.moveId())))
                .toList();
        SortedSet<Integer> kept = rows(now, seen, FenceState.MOVED);
        SortedSet<Integer> emptied = rows(now, seen, FenceState.ABORTED);
        emptied.addAll(rows(now, seen, FenceState.IMPORTING));
        return new SweepOrder(seen, undone, emptied, kept, false);
    }

    private static SortedSet<Integer> rows(ShardTraces now, MoveTrace seen, FenceState state) {
        SortedSet<Integer> rows = new TreeSet<>(seen.rows());
        rows.removeIf(bucket -> {
            FenceRow row = now.fence().get(bucket);
            return row == null || row.state() != state || !seen.move().equals(row.moveId());
        });
        return rows;
    }
}
