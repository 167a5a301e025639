package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What keeps a hold short: the prediction before it, the drain timeout in it, and few statements. */
class HoldBudgetIT {
    private static final String LOGGED = "ALTER ROLE shardwright_mover SET log_statement = 'all'";
    private static final String UNLOGGED = "ALTER ROLE shardwright_mover RESET log_statement";

    @Test
    void aSwitchWhosePredictionIsAboveTheBudgetIsNotTried() {
        MovePair pair = MovePair.upwards();
        Limits tight =
                new Limits(Duration.ofNanos(1_000), Duration.ofSeconds(2), Duration.ofSeconds(30), 1 << 20, 1, false);
        try (MoverDriver mover = new MoverDriver(pair.task(tight, 17))) {
            mover.done(Command.PREPARE, Command.VERIFY, Command.GATE);
            MoveReport report = mover.switchGroup(Scope.buckets(17));
            assertThat(report.gateOpen()).isFalse();
            assertThat(report.gateReason()).contains("above the budget");
            assertThat(report.switches()).isEmpty();
            assertThat(report.failure()).isEmpty();
        }
        assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");
    }

    @Test
    void aStreamThatIsBehindTheGateIsNotSwitched() {
        MovePair pair = MovePair.upwards();
        Limits none = new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofSeconds(30), -1, 1, false);
        try (MoverDriver mover = new MoverDriver(pair.task(none, 17))) {
            mover.done(Command.PREPARE, Command.GATE);
            assertThat(mover.report().gateOpen()).isFalse();
            assertThat(mover.report().gateReason()).contains("behind");
        }
    }

    @Test
    void aDrainThatTimesOutNamesTheHolderAndWritersGoOn() throws SQLException {
        MovePair pair = MovePair.upwards();
        long tenant = ShopDatabase.keyIn(17);
        Limits hasty =
                new Limits(Duration.ofSeconds(60), Duration.ofMillis(400), Duration.ofSeconds(30), 1 << 20, 1, false);
        EnteringLate entering = new EnteringLate(pair, tenant);
        try (MoverDriver mover = new MoverDriver(pair.task(hasty, 17), entering)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            MoveReport report = mover.switchGroup(Scope.buckets(17));
            assertThat(report.switches()).singleElement().satisfies(attempt -> {
                assertThat(attempt.activated()).isFalse();
                assertThat(attempt.holdMs()).isPositive();
                assertThat(attempt.blockers()).singleElement().asString().contains("shop_app", "slow-web");
            });
            assertThat(report.failure()).isEmpty();
            try (Connection app = pair.here.app();
                    Statement statement = app.createStatement()) {
                statement.execute("SELECT shardwright.enter(17, '" + tenant + "', NULL)");
            }
        } finally {
            entering.close();
        }
    }

    @Test
    void aTableThatSomebodyAltersMakesTheSwitchGiveUpAndNamesHim() throws SQLException {
        MovePair pair = MovePair.upwards();
        Limits hasty =
                new Limits(Duration.ofSeconds(60), Duration.ofMillis(400), Duration.ofSeconds(30), 1 << 20, 1, false);
        try (Connection dba = pair.here.superuser();
                Statement statement = dba.createStatement();
                MoverDriver mover = new MoverDriver(pair.task(hasty, 17), altering(dba))) {
            statement.execute("SET application_name = 'migration'");
            mover.done(Command.PREPARE, Command.VERIFY);
            MoveReport report = mover.switchGroup(Scope.buckets(17));
            assertThat(report.failure()).isEmpty();
            assertThat(report.switches()).singleElement().satisfies(attempt -> {
                assertThat(attempt.activated()).isFalse();
                assertThat(attempt.blockers()).singleElement().asString().contains("migration");
            });
            dba.rollback();
            mover.switchEach(Scope.buckets(17));
        }
    }

    /** A lock as DDL takes it, once, after the gate was measured. */
    private static StepBoundary altering(Connection dba) {
        AtomicBoolean locked = new AtomicBoolean();
        return new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == MoverStep.LOCK_TARGET && locked.compareAndSet(false, true)) {
                    try (Statement statement = dba.createStatement()) {
                        dba.setAutoCommit(false);
                        statement.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
    }

    /** Once per switch these statements, whatever the bucket; a new one in the hold has to be justified here. */
    @Test
    void aSwitchOfAnIdleBucketTakesAKnownNumberOfStatements() throws IOException {
        MovePair pair = MovePair.upwards();
        pair.here.server().runScript(pair.here.name(), LOGGED);
        pair.there.server().runScript(pair.there.name(), LOGGED);
        try (MoverDriver mover = new MoverDriver(pair.task(23))) {
            mover.done(Command.PREPARE, Command.VERIFY, Command.GATE);
            mover.switchEach(Scope.buckets(23));
            mover.done(Command.CLEAN_UP);
        } finally {
            pair.here.server().runScript(pair.here.name(), UNLOGGED);
            pair.there.server().runScript(pair.there.name(), UNLOGGED);
        }
        assertThat(since(statements(pair.here), "pg_advisory_xact_lock(class"))
                .as("source: drain, identity, claim, sequences, token, fence; commit, standbys; nothing more")
                .hasSize(8)
                .satisfies(all -> assertThat(all.get(6)).contains("COMMIT"))
                .satisfies(all -> assertThat(all.get(7)).contains("pg_stat_replication"));
        List<String> onTarget = since(statements(pair.there), "set_config('synchronous_commit', 'on', true)");
        assertThat(onTarget.subList(0, 5))
                .as("target: setting, progress, check, fence row; commit")
                .satisfies(all -> assertThat(all.getLast()).contains("COMMIT"));
        assertThat(since(statements(pair.there), "pg_advisory_unlock"))
                .as("release, and nothing else with the lock's session")
                .hasSize(1);
    }

    private static List<String> statements(ShopDatabase database) throws IOException {
        return Files.readAllLines(database.server().log()).stream()
                .filter(line -> line.contains("execute ") || line.contains("statement: "))
                .toList();
    }

    /** Statements of one session, from the last one with the text (the rehearsal comes before it) to the session's end. */
    private static List<String> since(List<String> statements, String from) {
        int first = -1;
        for (int i = 0; i < statements.size(); i++) {
            if (statements.get(i).contains(from)) {
                first = i;
            }
        }
        String session = statements.get(first).replaceAll("^[^\\[]*(\\[\\d+\\]).*", "$1");
        return statements.subList(first, statements.size()).stream()
                .filter(line -> line.contains(session))
                .toList();
    }
}
