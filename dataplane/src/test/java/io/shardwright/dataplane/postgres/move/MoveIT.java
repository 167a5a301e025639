package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** Moves on real servers of the oldest and the newest version, in both directions. */
class MoveIT {
    @Test
    void movesSeveralBucketsUnderLoadAndLosesNothing() {
        MovePair pair = MovePair.upwards();
        MoveTask task = pair.task(17, 42, 63);
        try (LiveLoad load = new LiveLoad(pair, 4, 120, 17, 42, 63, 5);
                MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY, Command.GATE);
            MoveReport report = mover.switchEach(task.scopes());
            assertThat(report.switches().stream().filter(MoveReport.Switch::activated))
                    .hasSize(3)
                    .allSatisfy(one -> {
                        assertThat(one.holdMs()).isPositive();
                        assertThat(one.predictedMs()).isPositive();
                        assertThat(one.parts()).containsOnlyKeys("drain", "fence", "hop", "apply", "release");
                    });
            assertThat(mover.done(Command.CLEAN_UP).stage()).isEqualTo(Stage.CLEANED_UP);
            assertThat(load.stopAndCompare()).isEmpty();
        }
        for (int bucket : Scope.bucketsOf(task.scopes())) {
            assertThat(MovePair.fence(pair.here, bucket)).isEqualTo("MOVED 2");
            assertThat(MovePair.fence(pair.there, bucket)).isEqualTo("OWNED 2");
            assertThat(MovePair.rows(pair.here, "orders", bucket)).isZero();
            assertThat(MovePair.rows(pair.here, "order_items", bucket)).isZero();
            assertThat(MovePair.rows(pair.there, "orders", bucket)).isPositive();
        }
        assertThat(MovePair.rows(pair.here, "orders", 5)).isPositive();
        assertThat(MovePair.rows(pair.there, "orders", 5)).isZero();
        assertThat(pair.leftovers()).isEmpty();
    }

    @Test
    void switchesAGroupUnderOneHoldAndBringsItBack() {
        MovePair pair = MovePair.downwards();
        MoveTask there = pair.task(8, 9, 10);
        MoveTask back = pair.back(8, 9, 10);
        try (LiveLoad load = new LiveLoad(pair, 2, 60, 8, 9, 10)) {
            for (MoveTask task : java.util.List.of(there, back)) {
                try (MoverDriver mover = new MoverDriver(task)) {
                    mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
                    MoveReport report = switchGroup(mover, task);
                    assertThat(report.switches().getLast().epochs().keySet()).isEqualTo(task.scopes());
                    mover.done(Command.CLEAN_UP);
                }
            }
            assertThat(load.stopAndCompare()).isEmpty();
        }
        assertThat(MovePair.fence(pair.here, 9)).isEqualTo("OWNED 3");
        assertThat(MovePair.fence(pair.there, 9)).isEqualTo("MOVED 3");
        assertThat(pair.leftovers()).isEmpty();
    }

    private static MoveReport switchGroup(MoverDriver mover, MoveTask task) {
        return mover.await("the group to be switched", report -> {
            if (report.switches().stream().anyMatch(MoveReport.Switch::activated)) {
                return true;
            }
            if (report.running().isEmpty() && !report.switching()) {
                assertThat(report.failure()).isEmpty();
                mover.mover().beginSwitch(task.scopes());
            }
            return false;
        });
    }

    @Test
    void anOpenTransactionMakesTheDrainGiveUpIsNamedAndIsNotLost() throws SQLException {
        MovePair pair = MovePair.upwards();
        long tenant = ShopDatabase.keyIn(17);
        MoveTask task = pair.task(17);
        try (MoverDriver mover = new MoverDriver(task);
                Connection app = pair.here.app();
                Statement statement = app.createStatement()) {
            mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY, Command.GATE);
            app.setAutoCommit(false);
            statement.execute("SET application_name = 'orders-web'");
            statement.execute("SELECT shardwright.enter(17, '" + tenant + "', NULL)");
            statement.execute("INSERT INTO orders (tenant_id, id, note) VALUES (" + tenant + ", 1, 'open')");

            MoveReport report = mover.switchGroup(Scope.buckets(17));

            if (!report.switches().isEmpty()) {
                assertThat(report.switches()).singleElement().satisfies(attempt -> {
                    assertThat(attempt.activated()).isFalse();
                    assertThat(attempt.blockers()).singleElement().asString().contains("orders-web", "shop_app");
                });
            } else {
                assertThat(report.gateReason()).contains("orders-web");
            }
            assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");
            app.commit();
            mover.switchEach(task.scopes());
            assertThat(pair.there.value("SELECT note FROM orders WHERE id = 1")).isEqualTo("open");
            assertRefused(statement, tenant);
        }
    }

    private static void assertRefused(Statement statement, long tenant) {
        assertThatThrownBy(() -> statement.execute("INSERT INTO orders (tenant_id, id) VALUES (" + tenant + ", 2)"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("SH409"))
                .hasMessageContaining("ds-4");
    }

    @Test
    void theTargetGivesNumbersBeyondAllThatTheSourceGave() throws SQLException {
        MovePair pair = MovePair.upwards();
        long tenant = ShopDatabase.keyIn(17);
        pair.here.plant("INSERT INTO orders (tenant_id, id) VALUES (" + tenant + ", 5000);"
                + " SELECT setval('orders_id_seq', 5000)");
        MoveTask task = pair.task(17);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.VALIDATE, Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
            mover.done(Command.CLEAN_UP);
        }
        try (Connection app = pair.there.app();
                Statement statement = app.createStatement()) {
            statement.execute("INSERT INTO orders (tenant_id, note) VALUES (" + tenant + ", 'after')");
        }
        assertThat(Long.parseLong(pair.there.value("SELECT id FROM orders WHERE note = 'after'")))
                .isGreaterThan(5000);
    }

    @Test
    void rowsThatNoMoveHasBroughtAreNamedAndNeverTouched() {
        MovePair pair = MovePair.upwards();
        long tenant = ShopDatabase.keyIn(17);
        pair.there.plant("INSERT INTO orders (tenant_id, id, note) VALUES (" + tenant + ", 1, 'foreign')");
        try (MoverDriver mover = new MoverDriver(pair.task(17))) {
            MoveReport report = mover.run(Command.PREPARE);
            assertThat(report.failure()).hasValueSatisfying(failure -> {
                assertThat(failure.kind()).isEqualTo(MoveReport.Failure.Kind.FOREIGN_ROWS);
                assertThat(failure.message()).contains("1 in public.orders", "bucket 17", "ds-4");
            });
        }
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("absent");
        assertThat(pair.there.value("SELECT note FROM orders")).isEqualTo("foreign");
    }

    @Test
    void theTruthOfAFreshMoverComesFromTheDatabases() {
        MovePair pair = MovePair.upwards();
        try (MoverDriver mover = new MoverDriver(pair.task(17))) {
            MoveReport report = mover.report();
            assertThat(report.stage()).isEqualTo(Stage.NONE);
            assertThat(report.truth()).hasValueSatisfying(truth -> {
                assertThat(truth.source().get(Scope.bucket(17)).state()).isEqualTo(FenceState.OWNED);
                assertThat(truth.target()).isEmpty();
                assertThat(truth.resumable()).isFalse();
            });
        }
    }
}
