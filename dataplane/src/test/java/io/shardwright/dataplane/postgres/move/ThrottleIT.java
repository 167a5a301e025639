package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.Throttling;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import io.shardwright.servers.PostgresStandby;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a move waits for, and what it gives up for, on a shard with a standby that stands when it is told to. */
class ThrottleIT {
    private static final String STANDBY = "replicated-b";

    private static final Limits WATCHFUL = new Limits(
            MoverDriver.PATIENT.writeHoldBudget(),
            MoverDriver.PATIENT.drainTimeout(),
            MoverDriver.PATIENT.pauseMax(),
            MoverDriver.PATIENT.lagGateBytes(),
            1,
            true,
            new Throttling(Duration.ofSeconds(1), 1L << 30, 1L << 40, Duration.ofMillis(100), Duration.ofMinutes(5)));

    private static PostgresServer replicated;
    private static PostgresStandby standby;

    @BeforeAll
    static void startServers() {
        replicated = PostgresServer.builder()
                .version(Version.NEWEST)
                .name("replicated-a")
                .start();
        standby = PostgresStandby.of(replicated, STANDBY);
    }

    @AfterAll
    static void stopServers() {
        standby.close();
        replicated.close();
    }

    /** Both instances of the shard are declared. */
    private static ShardAccess both(ShardAccess alone) {
        Endpoint second =
                new Endpoint("b", standby.server().host(), standby.server().port());
        return new ShardAccess(
                alone.shard(),
                List.of(alone.instances().getFirst(), second),
                alone.database(),
                alone.operator(),
                alone.mover(),
                alone.tls());
    }

    private static MoveTask task(ShardAccess source, ShardAccess target) {
        return new MoveTask(
                UUID.randomUUID(), "orders", source, target, ShopDatabase.SCHEMA, MovePair.set(17), WATCHFUL);
    }

    private static void plant(ShopDatabase database, int rows) {
        database.plant("INSERT INTO orders SELECT %d, n, repeat('x', 1000) FROM generate_series(1, %d) n"
                .formatted(ShopDatabase.keyIn(17), rows));
    }

    private static MoveReport awaitThrottled(MoverDriver mover, String... words) {
        return mover.await(
                "a move that waits and says " + List.of(words),
                report -> says(report.progress().throttled(), words));
    }

    private static boolean says(Optional<String> said, String... words) {
        return Stream.of(words).allMatch(said.orElse("")::contains);
    }

    /** The standby stands before the first chunk; nothing more is copied once that is known. */
    private static final class Chunks implements StepBoundary {
        private final AtomicInteger begun = new AtomicInteger();
        private MoverDriver mover;

        @Override
        public void before(Enum<?> step, UUID moveId) {
            if (step == MoverStep.COPY && begun.incrementAndGet() == 1) {
                standby.stall();
                awaitThrottled(mover, STANDBY);
            }
        }

        @Override
        public void done(Enum<?> step, UUID moveId) {}
    }

    @AfterEach
    void letItGoOn() {
        standby.resume();
    }

    /** A move to the shard with the standby. */
    private static MoveTask fill(MovePair pair, int rows) {
        plant(pair.here, rows);
        return task(pair.hereAccess(), both(pair.thereAccess()));
    }

    private static MovePair toReplicated() {
        return MovePair.of(SharedServers.of(Version.OLDEST), replicated);
    }

    /** From here on the mover knows that the standby stands. */
    private static void stall(MoverDriver mover) {
        standby.stall();
        awaitThrottled(mover, "ds-4", STANDBY, "behind");
    }

    private static MoveReport awaitWaiting(MoverDriver mover, Command command) {
        return mover.await(
                "a " + command + " that waits",
                report -> report.running().filter(command::equals).isPresent()
                        && report.progress().throttled().orElse("").contains(STANDBY));
    }

    @Test
    void aStandbyOfTheTargetThatStandsStopsTheCopyUntilItIsNearAgain() {
        MovePair pair = toReplicated();
        MoveTask task = fill(pair, 12_000);
        Chunks chunks = new Chunks();
        try (MoverDriver mover = new MoverDriver(task, chunks)) {
            chunks.mover = mover;
            mover.done(Command.VALIDATE);

            mover.mover().begin(Command.PREPARE);
            mover.await("a chunk", report -> report.progress().rowsCopied() > 0);
            awaitThrottled(mover, "2 s behind"); // longer than the rest of the copy would take
            assertThat(chunks.begun).hasValue(1);
            assertThat(mover.report().running()).contains(Command.PREPARE);

            standby.resume();
            assertThat(mover.idle().failure()).isEmpty();
            assertThat(chunks.begun).hasValueGreaterThan(2);
            assertThat(MovePair.rows(pair.there, "orders", 17)).isEqualTo(12_000);
        }
    }

    @Test
    void aStandbyThatStandsHoldsTheComparisonBackAndShutsTheGate() {
        MovePair pair = toReplicated();
        MoveTask task = fill(pair, 10);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE);
            stall(mover);
            mover.mover().begin(Command.VERIFY);
            assertThat(awaitWaiting(mover, Command.VERIFY).verification().chunks())
                    .isZero();
            standby.resume();
            assertThat(mover.idle().stage()).isEqualTo(Stage.VERIFIED);
            Eventually.until("an open gate", () -> mover.done(Command.GATE).gateOpen());

            stall(mover);
            assertThat(mover.done(Command.GATE)).satisfies(report -> {
                assertThat(report.gateOpen()).isFalse();
                assertThat(report.gateReason()).contains("ds-4", STANDBY, "behind");
            });
            assertThat(mover.switchGroup(task.scopes()).switches()).isEmpty();
            assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");

            standby.resume();
            mover.switchEach(task.scopes());
            assertThat(MovePair.fence(pair.there, 17)).isEqualTo("OWNED 2");
        }
    }

    @Test
    void aStandbyThatStandsHoldsTheCleanupBack() {
        MovePair pair = toReplicated();
        MoveTask task = fill(pair, 10);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
            stall(mover);

            mover.mover().beginCleanUp(Set.of());
            awaitWaiting(mover, Command.CLEAN_UP);
            assertThat(MovePair.rows(pair.here, "orders", 17)).isEqualTo(10);
            standby.resume();
            assertThat(mover.idle().stage()).isEqualTo(Stage.CLEANED_UP);
            assertThat(MovePair.rows(pair.here, "orders", 17)).isZero();
        }
        assertThat(pair.leftovers()).isEmpty();
    }

    /** Case 16. A transaction that stays open keeps the log that a stream has read long ago. */
    @Test
    void case16ASlotThatKeepsFourFifthsOfWhatItMayEndsTheMoveAndIsGone() throws SQLException {
        MovePair pair = MovePair.of(replicated, SharedServers.of(Version.OLDEST));
        plant(pair.here, 10);
        MoveTask task = task(both(pair.hereAccess()), pair.thereAccess());
        replicated.set("max_slot_wal_keep_size", "64MB");
        try (MoverDriver mover = new MoverDriver(task);
                Connection open = pair.here.superuser();
                Statement statement = open.createStatement()) {
            mover.done(Command.VALIDATE, Command.PREPARE);
            open.setAutoCommit(false);
            statement.execute("SELECT pg_logical_emit_message(true, 'test', 'open')");

            statement.execute("SELECT pg_logical_emit_message(false, 'test', repeat('x', 1 << 20))"
                    + " FROM generate_series(1, 36)");
            mover.await("a warning", report -> says(report.progress().warning(), "ds-0", "slot", "50 %", "64 MiB"));
            assertThat(mover.done(Command.VERIFY).progress().throttled())
                    .as("what is warned of makes nothing wait")
                    .isEmpty();
            statement.execute("SELECT pg_logical_emit_message(false, 'test', repeat('x', 1 << 20))"
                    + " FROM generate_series(1, 18)");
            MoveReport given = mover.await("a fault", report -> report.failure().isPresent());
            assertThat(given.failure().orElseThrow()).satisfies(failure -> {
                assertThat(failure.kind()).isEqualTo(Failure.Kind.POSITION_LOST);
                assertThat(failure.curable()).isFalse();
                assertThat(failure.message()).contains("ds-0", "80 %", "64 MiB");
                assertThat(failure.nextAction()).contains("max_slot_wal_keep_size");
            });
            assertThat(given.gateOpen()).isFalse();

            mover.done(Command.ABORT);
        } finally {
            replicated.set("max_slot_wal_keep_size", "-1");
        }
        assertThat(pair.leftovers()).isEmpty();
        assertThat(MovePair.fence(pair.here, 17)).startsWith("OWNED");
        assertThat(MovePair.rows(pair.here, "orders", 17)).isEqualTo(10);
    }
}
