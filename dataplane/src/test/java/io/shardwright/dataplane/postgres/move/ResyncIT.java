package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A source that is fenced and refuses every write: neither the stream can go on nor an abort, and the target gets its rows once more.
 * {@link FullSourceIT} has one whose disk is full.
 */
class ResyncIT {
    private static final Map<Version, ReadOnlySource> SOURCES = new EnumMap<>(Version.class);

    private ReadOnlySource source = of(Version.OLDEST);

    private static ReadOnlySource of(Version version) {
        return SOURCES.computeIfAbsent(version, ReadOnlySource::new);
    }

    @AfterEach
    void takesWritesAgain() {
        source.takesWrites(true);
    }

    @AfterAll
    static void end() {
        SOURCES.values().forEach(ReadOnlySource::close);
    }

    private MovePair pair() {
        return source.pair;
    }

    private MoveTask fencedAndReadOnly(int bucket) {
        MoveTask task = source.fencedAtOnce(bucket);
        source.takesWrites(false);
        return task;
    }

    private void assertMoved(int bucket) {
        assertThat(source.fences(bucket)).isEqualTo("MOVED 2 / OWNED 2");
        assertThat(ReadOnlySource.rows(pair().there, bucket)).isEqualTo(ReadOnlySource.rows(pair().here, bucket));
        assertThat(MovePair.rows(pair().there, "orders", bucket)).isEqualTo(ReadOnlySource.ROWS);
        assertThat(MovePair.rows(pair().there, "order_items", bucket)).isEqualTo(ReadOnlySource.ROWS);
    }

    private void cleanUp(MoveTask task) {
        source.takesWrites(true);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.CLEAN_UP);
        }
        assertThat(MovePair.rows(pair().here, "orders", task.scopes().first().bucket()))
                .isZero();
        pair().assertNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void whereTheLogIsLostTooTheTargetGetsAllRowsOnceMoreAndOwnsThem(Version version) throws SQLException {
        source = of(version);
        MoveTask task = source.fenced(1);
        source.losesTheLogOf(task);
        source.takesWrites(false);
        try (MoverDriver mover = new MoverDriver(task)) {
            assertThat(mover.report().truth().orElseThrow().resumable()).isFalse();
            // the contrast: what there was before ends nothing, and decides nothing that would
            for (Command command : new Command[] {Command.PREPARE, Command.ABORT}) {
                assertThat(mover.run(command).failure().orElseThrow().kind()).isEqualTo(Kind.SOURCE_READ_ONLY);
            }
            assertThat(source.fences(1)).isEqualTo("MOVED 2 / IMPORTING 1");
            assertThatThrownBy(() -> write(pair().there)).hasMessageContaining("stale route");

            MoveReport report = mover.done(Command.RESYNC);

            assertMoved(1);
            assertThat(report.switches()).singleElement().satisfies(one -> {
                assertThat(one.activated()).isTrue();
                assertThat(one.epochs()).containsEntry(Scope.bucket(1), 2L);
            });
            assertThat(report.verification().mismatches()).isZero();
            assertThat(report.verification().chunks()).isPositive();
            assertThat(report.truth()
                            .orElseThrow()
                            .target()
                            .get(Scope.bucket(1))
                            .state())
                    .isEqualTo(FenceState.OWNED);
        }
        write(pair().there);
        cleanUp(task);
    }

    private static void write(ShopDatabase owner) throws SQLException {
        try (Connection app = owner.app();
                Statement statement = app.createStatement()) {
            statement.execute(OrderRows.insert(1, 900, "after"));
        }
    }

    @Test
    void aSourceThatTakesWritesHasItsBucketsBackInstead() {
        MoveTask task = source.fencedAtOnce(2);
        source.losesTheLogOf(task);
        try (MoverDriver mover = new MoverDriver(task)) {
            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().message())
                    .contains("takes writes again");
            assertThat(source.fences(2)).isEqualTo("MOVED 2 / IMPORTING 1");

            assertThat(mover.run(Command.PREPARE).failure().orElseThrow().kind())
                    .isEqualTo(Kind.DECIDED_AGAINST);
            mover.done(Command.ABORT);
        }
        assertGivenBack(2);
    }

    @Test
    void alsoWhenItTakesThemAgainWhileItIsCopied() {
        MoveTask task = fencedAndReadOnly(3);
        try (MoverDriver mover = new MoverDriver(task, before(MoverStep.FORGET_COPY, () -> source.takesWrites(true)))) {
            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().message())
                    .contains("takes writes again");
            mover.run(Command.PREPARE);
            mover.done(Command.ABORT);
        }
        assertGivenBack(3);
    }

    /** Half of the second copy must not be taken for the whole of the first: the slot still has all that would follow that one. */
    @ParameterizedTest
    @CsvSource({"4, DELETE_LEFTOVERS", "5, COPY"})
    void whatDiedInTheCopyIsNotGoneOnWithByTheStream(int bucket, MoverStep step) {
        MoveTask task = fencedAndReadOnly(bucket);
        dieAt(task, step, false);
        source.takesWrites(true);
        try (MoverDriver mover = new MoverDriver(task)) {
            assertThat(mover.run(Command.PREPARE).failure().orElseThrow().kind())
                    .isEqualTo(Kind.DECIDED_AGAINST);
            mover.done(Command.ABORT);
        }
        assertGivenBack(bucket);
    }

    private void assertGivenBack(int bucket) {
        assertThat(source.fences(bucket)).isEqualTo("OWNED 3 / ABORTED 1");
        assertThat(MovePair.rows(pair().here, "orders", bucket)).isEqualTo(ReadOnlySource.ROWS);
        assertThat(MovePair.rows(pair().there, "orders", bucket)).isZero();
        pair().assertNothingLeft();
    }

    /** Whoever decides first has decided, and another move's bucket is not this one's. */
    @ParameterizedTest
    @CsvSource({
        "6, ABORTED, true, DECIDED_AGAINST",
        "7, IMPORTING, false, POSITION_LOST",
        "8, OWNED, false, POSITION_LOST"
    })
    void onlyWhatIsStillBeingFilledByThisMoveIsActivated(int bucket, FenceState state, boolean ours, Kind kind) {
        MoveTask task = fencedAndReadOnly(bucket);
        UUID whose = ours ? task.moveId() : UUID.randomUUID();
        Runnable meanwhile = () -> pair().there.setFence(bucket, state, 1, null, whose);
        try (MoverDriver mover = new MoverDriver(task, before(MoverStep.ACTIVATE_TARGET, meanwhile))) {
            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().kind()).isEqualTo(kind);
        }
        assertThat(source.fences(bucket)).isEqualTo("MOVED 2 / " + state + " 1");
        forget(task);
    }

    @ParameterizedTest
    @CsvSource({"10, DELETE_LEFTOVERS", "11, COPY", "12, ACTIVATE_TARGET"})
    void whoWasTakenOverWritesNothingMore(int bucket, MoverStep step) {
        MoveTask task = fencedAndReadOnly(bucket);
        try (MoverDriver mover = new MoverDriver(task, before(step, () -> takeTheToken(task)))) {
            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().kind()).isEqualTo(Kind.SUPERSEDED);
        }
        assertThat(source.fences(bucket)).isEqualTo("MOVED 2 / IMPORTING 1");
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.RESYNC);
        }
        assertMoved(bucket);
        cleanUp(task);
    }

    private void takeTheToken(MoveTask task) {
        for (String table : new String[] {"move_progress", "cleanup_record"}) {
            pair().there
                    .plant("UPDATE shardwright." + table + " SET token = 'successor' WHERE move_id = '" + task.moveId()
                            + "'");
        }
    }

    /** As an asynchronous failover would leave it. */
    @ParameterizedTest
    @CsvSource({"15, READ_BEHIND_FENCE", "16, ACTIVATE_TARGET"})
    void aFenceThatIsNotThereAnyMoreActivatesNothing(int bucket, MoverStep step) {
        MoveTask task = fencedAndReadOnly(bucket);
        Runnable lost = () -> pair().here.setFence(bucket, FenceState.OWNED, 1, "ds-0", null);
        try (MoverDriver mover = new MoverDriver(task, before(step, lost))) {
            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().message())
                    .contains("the fence of buckets [" + bucket + "] is not there any more");
        }
        assertThat(source.fences(bucket)).isEqualTo("OWNED 1 / IMPORTING 1");
        forget(task);
    }

    @Test
    void whoIsInsideTheBucketIsNamedAndNothingIsCopied() throws SQLException {
        MoveTask task = fencedAndReadOnly(17);
        try (Connection app = pair().here.app();
                Statement statement = app.createStatement();
                MoverDriver mover = new MoverDriver(task)) {
            statement.execute("SET application_name = 'inside'");
            statement.execute("SELECT pg_advisory_lock_shared(7001, 17)");

            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().message())
                    .contains("is inside", "'inside'");

            statement.execute("SELECT pg_advisory_unlock_shared(7001, 17)");
            mover.done(Command.RESYNC);
        }
        assertMoved(17);
        cleanUp(task);
    }

    @Test
    void whoAsksTheSourceMeanwhileIsRefusedAndDoesNotWait() throws SQLException {
        MoveTask task = fencedAndReadOnly(18);
        try (Connection app = pair().here.app();
                Statement statement = app.createStatement();
                MoverDriver mover = new MoverDriver(task, before(MoverStep.COPY, () -> {
                    assertThatThrownBy(() -> statement.execute(
                                    "SELECT shardwright.enter(18, '" + ShopDatabase.keyIn(18) + "', NULL)"))
                            .hasMessageContaining("stale route");
                }))) {
            mover.done(Command.RESYNC);
        }
        assertMoved(18);
        cleanUp(task);
    }

    @Test
    void nothingIsCopiedWhereNothingIsFenced() {
        MoveTask task = pair().task(19);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE);
            assertThat(mover.run(Command.RESYNC).failure().orElseThrow().message())
                    .contains("no bucket of the move");
            mover.done(Command.ABORT);
        }
        assertThat(source.fences(19)).isEqualTo("OWNED 3 / ABORTED 1");
    }

    /** Those that only such a move goes through, or not in the same way. */
    static Set<MoverStep> steps() {
        return EnumSet.of(
                MoverStep.TERMINATE_SESSIONS,
                MoverStep.CLAIM_TOKEN,
                MoverStep.READ_BEHIND_FENCE,
                MoverStep.FORGET_COPY,
                MoverStep.DELETE_LEFTOVERS,
                MoverStep.COPY,
                MoverStep.LOCK_TARGET,
                MoverStep.ACTIVATE_TARGET,
                MoverStep.RELEASE_TARGET);
    }

    @ParameterizedTest
    @MethodSource("steps")
    void anotherMoverFinishesWhatOneLeftBeforeAStep(MoverStep step) {
        dieAndFinish(step, true, 30 + step.ordinal());
    }

    /** The databases are as before the next step. */
    @Tag("long")
    @ParameterizedTest
    @MethodSource("steps")
    void anotherMoverFinishesWhatOneLeftAfterAStep(MoverStep step) {
        dieAndFinish(step, false, 65 + step.ordinal());
    }

    private void dieAndFinish(MoverStep step, boolean before, int bucket) {
        MoveTask task = fencedAndReadOnly(bucket);
        dieAt(task, step, before);
        try (MoverDriver mover = new MoverDriver(task)) {
            if (mover.report()
                            .truth()
                            .orElseThrow()
                            .target()
                            .get(Scope.bucket(bucket))
                            .state()
                    == FenceState.IMPORTING) {
                mover.done(Command.RESYNC);
            }
        }
        assertMoved(bucket);
        cleanUp(task);
    }

    private static void dieAt(MoveTask task, MoverStep step, boolean before) {
        DyingMover dying = new DyingMover(step, before);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.run(Command.RESYNC);
            dying.awaitDeath();
        }
    }

    private static StepBoundary before(MoverStep wanted, Runnable what) {
        return new StepBoundary() {
            private boolean done;

            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == wanted && !done) {
                    done = true;
                    what.run();
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
    }

    /** What a test has brought into a state that no step leaves has no end of its own. */
    private void forget(MoveTask task) {
        source.takesWrites(true);
        for (ShopDatabase database : new ShopDatabase[] {pair().here, pair().there}) {
            for (String table : new String[] {"claim", "move_progress", "cleanup_record", "heartbeat"}) {
                database.plant("DELETE FROM shardwright." + table + " WHERE move_id = '" + task.moveId() + "'");
            }
            database.plant(
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE '%"
                            + task.moveId().toString().replace("-", "") + "%'");
        }
    }
}
