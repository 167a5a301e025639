package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What verification finds, and that load does not make it cry wolf. */
class VerificationFaultIT {
    private MovePair pair;
    private long tenant;

    @BeforeEach
    void preparePair() {
        pair = MovePair.upwards();
        tenant = ShopDatabase.keyIn(17);
        pair.here.plant("INSERT INTO orders SELECT " + tenant + ", n, 'row ' || n FROM generate_series(1, 300) n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE orders SET note = 'rox 7' WHERE id = 7",
                "DELETE FROM orders WHERE id = 7",
                "UPDATE orders SET note = NULL WHERE id = 7",
                "UPDATE orders SET id = 7000 WHERE id = 7"
            })
    void oneWrongRowOnTheTargetIsFound(String damage) {
        try (MoverDriver mover = new MoverDriver(pair.task(17))) {
            mover.done(Command.PREPARE);
            pair.there.plant(damage);
            MoveReport report = mover.run(Command.VERIFY);
            assertThat(report.failure().orElseThrow().kind()).isEqualTo(Kind.DIVERGED);
            assertThat(report.failure().orElseThrow().message())
                    .contains("between ds-0 and ds-4")
                    .endsWith(": public.orders in buckets [17]");
            assertThat(report.verification().mismatches()).isPositive();
            assertThat(report.stage()).isNotEqualTo(Stage.VERIFIED);
        }
        assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");
    }

    @Test
    void anUpdateOfARowThatIsNotOnTheTargetStopsTheStream() {
        pair.here.plant("ALTER TABLE orders ALTER note SET STORAGE EXTERNAL;"
                + " UPDATE orders SET note = repeat('z', 9000) WHERE id = 7");
        pair.there.plant("ALTER TABLE orders ALTER note SET STORAGE EXTERNAL");
        try (MoverDriver mover = new MoverDriver(pair.task(17))) {
            mover.done(Command.PREPARE);
            pair.there.plant("DELETE FROM orders WHERE id = 7");
            pair.here.plant("UPDATE orders SET id = 7007 WHERE id = 7");
            MoveReport report =
                    mover.await("the stream to stop", now -> now.failure().isPresent());
            assertThat(report.failure().orElseThrow().kind()).isEqualTo(Kind.DIVERGED);
            mover.done(Command.PREPARE, Command.VERIFY);
        }
    }

    @Test
    void aDivergedTargetIsCopiedAgainByWhoeverPreparesNext() {
        MoveTask task = pair.task(17);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            pair.there.plant("UPDATE orders SET note = 'rox 7' WHERE id = 7");
            assertThat(mover.run(Command.VERIFY).stage())
                    .as("what was verified before counts no more")
                    .isEqualTo(Stage.VALIDATED);
            mover.done(Command.PREPARE, Command.VERIFY);
            pair.there.plant("DELETE FROM orders WHERE id = 8");
            assertThat(mover.run(Command.VERIFY).failure()).isPresent();
        }
        try (MoverDriver next = new MoverDriver(task)) {
            assertThat(next.report().truth().orElseThrow().resumable()).isFalse();
            next.done(Command.PREPARE, Command.VERIFY);
            next.switchEach(task.scopes());
        }
        assertThat(MovePair.rows(pair.there, "orders", 17)).isEqualTo(300);
    }

    /** Nobody knows then how many rows there are, and one chunk would be the whole table. */
    @Test
    void aMoverThatTookOverComparesInChunks() {
        MoveTask task = pair.task(17);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE);
        }
        try (MoverDriver next = new MoverDriver(task)) {
            MoveReport report = next.done(Command.PREPARE, Command.VERIFY);
            assertThat(report.progress().rowsTotal()).isZero();
            assertThat(report.verification().chunks()).isGreaterThan(100);
        }
    }

    @Test
    void aVerificationThatEndsEarlyKeepsNoSnapshotOpen() {
        Freezing freezing = Freezing.later(MoverStep.APPLY);
        String snapshots = "pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"
                + " AND query LIKE '%pg_current_snapshot()::text%'";
        try (MoverDriver mover = new MoverDriver(pair.task(17), freezing)) {
            mover.done(Command.PREPARE);
            freezing.arm();
            freezing.awaitFrozen();
            mover.mover().begin(Command.VERIFY);
            Eventually.until("a snapshot on the source", () -> pair.here.count(snapshots) == 1);
            pair.here.value("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query LIKE 'INSERT INTO shardwright.heartbeat%'");
            assertThat(mover.idle().failure()).isPresent();
            Eventually.until("no snapshot", () -> pair.here.count(snapshots) == 0);
            freezing.thaw();
        }
    }

    @Test
    void rowsThatAreBeingWrittenAreNoMismatch() {
        try (LiveLoad load = new LiveLoad(pair, 4, 200, 17);
                MoverDriver mover = new MoverDriver(pair.task(17))) {
            mover.done(Command.PREPARE);
            for (int i = 0; i < 5; i++) {
                assertThat(mover.done(Command.VERIFY).verification().mismatches())
                        .isZero();
            }
            assertThat(load.stopAndCompare()).isEmpty();
        }
    }
}
