package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What keeps a hold short: the prediction before it, the drain timeout in it, and few statements. */
class HoldBudgetIT {
    @Test
    void aSwitchWhosePredictionIsAboveTheBudgetIsNotTried() {
        MovePair pair = MovePair.upwards();
        Limits tight =
                new Limits(Duration.ofNanos(1_000), Duration.ofSeconds(2), Duration.ofSeconds(30), 1 << 20, 1, false);
        try (MoverDriver mover = new MoverDriver(pair.task(tight, 17))) {
            mover.done(Command.PREPARE, Command.GATE);
            MoveReport report = mover.switchGroup(new TreeSet<>(java.util.Set.of(17)));
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
            mover.done(Command.PREPARE);
            MoveReport report = mover.switchGroup(new TreeSet<>(java.util.Set.of(17)));
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

    /** Once per switch these statements, whatever the bucket; a new one in the hold has to be justified here. */
    @Test
    void aSwitchOfAnIdleBucketTakesAKnownNumberOfStatements() throws IOException {
        MovePair pair = MovePair.upwards();
        pair.here.server().runScript(pair.here.name(), "ALTER ROLE shardwright_mover SET log_statement = 'all'");
        pair.there.server().runScript(pair.there.name(), "ALTER ROLE shardwright_mover SET log_statement = 'all'");
        try (MoverDriver mover = new MoverDriver(pair.task(23))) {
            mover.done(Command.PREPARE, Command.GATE);
            mover.switchEach(new TreeSet<>(java.util.Set.of(23)));
            mover.done(Command.CLEAN_UP);
        } finally {
            pair.here.server().runScript(pair.here.name(), "ALTER ROLE shardwright_mover RESET log_statement");
            pair.there.server().runScript(pair.there.name(), "ALTER ROLE shardwright_mover RESET log_statement");
        }
        assertThat(between(Files.readAllLines(pair.here.server().log()), "pg_advisory_xact_lock(7001", "COMMIT"))
                .as("source: drain; identity, claim, sequences, token, fence; commit")
                .hasSize(7);
        assertThat(between(
                        Files.readAllLines(pair.there.server().log()),
                        "set_config('synchronous_commit', 'on', true)",
                        "pg_advisory_unlock"))
                .as("target: setting, progress, check, fence row; commit; release")
                .hasSize(6);
    }

    /** Statements of one session, from the last line with the first text (the rehearsal comes before it) to the next with the second. */
    private static List<String> between(List<String> log, String from, String to) {
        List<String> statements = log.stream()
                .filter(line -> line.contains("execute ") || line.contains("statement: "))
                .toList();
        int first = -1;
        for (int i = 0; i < statements.size(); i++) {
            if (statements.get(i).contains(from)) {
                first = i;
            }
        }
        String session = statements.get(first).replaceAll("^[^\\[]*(\\[\\d+\\]).*", "$1");
        List<String> own = statements.subList(first, statements.size()).stream()
                .filter(line -> line.contains(session) || line.contains(to))
                .toList();
        int last = 0;
        while (last < own.size() && !own.get(last).contains(to)) {
            last++;
        }
        assertThat(own).as("up to " + to).hasSizeGreaterThan(last);
        return own.subList(0, last + 1);
    }
}
