package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
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
