package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** A mover stands still, or its node is gone, in the middle of a transaction: the next one does not wait for its locks. */
class TakeoverIT {
    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    private static void plant(int bucket) {
        pair.here.plant("INSERT INTO orders VALUES (" + ShopDatabase.keyIn(bucket) + ", 1, 'row')");
    }

    /** A session as a mover of the task has it, and which nobody serves any more. */
    private static Connection frozen(ShopDatabase database, MoveTask task) throws SQLException {
        Connection connection = database.mover();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET application_name = 'shardwright/"
                    + task.moveId().toString().replace("-", "") + "/0123456789abcdef'");
        }
        connection.setAutoCommit(false);
        return connection;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aMoverThatStandsStillInsideACopyChunkIsReplaced() throws SQLException {
        plant(17);
        MoveTask task = pair.task(17);
        try (MoverDriver first = new MoverDriver(task)) {
            first.done(Command.PREPARE);
        }
        try (Connection frozen = frozen(pair.there, task)) {
            execute(frozen, "SELECT FROM shardwright.move_progress WHERE move_id = '" + task.moveId() + "' FOR UPDATE");
            CopyIn chunk = frozen.unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY orders (tenant_id, id, note) FROM STDIN");
            assertThat(chunk.isActive()).isTrue();
            try (MoverDriver next = new MoverDriver(task)) {
                next.done(Command.PREPARE, Command.VERIFY);
                next.switchEach(task.scopes());
                next.done(Command.CLEAN_UP);
            }
        }
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("OWNED 2");
    }

    @Test
    void aMoverThatStandsStillWhileItConfirmsAFenceIsReplacedAndTheReportIsCurrent() throws SQLException {
        plant(18);
        MoveTask task = pair.task(18);
        DyingMover dying = new DyingMover(MoverStep.FENCE_SOURCE, false);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
            dying.awaitDeath();
        }
        try (Connection frozen = frozen(pair.here, task)) {
            execute(frozen, "SELECT pg_advisory_xact_lock(7001, 18)");
            execute(frozen, "SELECT FROM shardwright.claim WHERE move_id = '" + task.moveId() + "' FOR SHARE");
            try (MoverDriver next = new MoverDriver(task)) {
                MoveReport report = next.done(Command.PREPARE);
                assertThat(report.truth()
                                .orElseThrow()
                                .target()
                                .get(Scope.bucket(18))
                                .state())
                        .as("what the report says after the command, without another look")
                        .isEqualTo(FenceState.OWNED);
            }
        }
    }

    /** Nobody may come for long; what others wait for must not wait for a mover that never wakes up. */
    @Test
    void everyTransactionThatHoldsTheFenceEndsWhenItsMoverStandsStill() throws IOException {
        plant(21);
        MoveTask task = pair.task(21);
        DyingMover dying = new DyingMover(MoverStep.FENCE_SOURCE, false);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
            dying.awaitDeath();
        }
        pair.here.server().runScript(pair.here.name(), "ALTER ROLE shardwright_mover SET log_statement = 'all'");
        try (MoverDriver next = new MoverDriver(task)) {
            next.done(Command.PREPARE, Command.CLEAN_UP);
        } finally {
            pair.here.server().runScript(pair.here.name(), "ALTER ROLE shardwright_mover RESET log_statement");
        }
        String own = task.moveId().toString().replace("-", "");
        List<String> log = Files.readAllLines(pair.here.server().log()).stream()
                .filter(line -> line.contains(own))
                .toList();
        assertEndsWhenFrozen(log, "confirmation of the fence", "SET state = 'MOVED' FROM unnest");
        assertEndsWhenFrozen(log, "deletion", "WITH doomed");
        assertEndsWhenFrozen(log, "claim", "INSERT INTO shardwright.claim");
    }

    private static void assertEndsWhenFrozen(List<String> log, String what, String statement) {
        List<String> sessions = log.stream()
                .filter(line -> line.contains(statement))
                .map(line -> line.replaceAll("^[^\\[]*(\\[\\d+\\]).*", "$1"))
                .distinct()
                .toList();
        assertThat(sessions)
                .as(what)
                .isNotEmpty()
                .allSatisfy(session -> assertThat(log)
                        .as(what)
                        .anyMatch(line -> line.contains(session)
                                && line.matches(".*SET idle_in_transaction_session_timeout = [1-9]\\d*.*")));
    }

    /** One more attempt on the old truth would find nothing to swap, and take that for a decision against the move. */
    @Test
    void aGroupThatIsFencedInPartIsFinishedOnceAndThenSwitched() {
        plant(19);
        plant(20);
        MoveTask task = pair.task(19, 20);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            pair.here.setFence(19, FenceState.MOVED, 2, "ds-4", task.moveId());
            MoveReport report = mover.await("both buckets", now -> {
                if (now.running().isEmpty() && !now.switching()) {
                    assertThat(now.failure()).isEmpty();
                    if (MovePair.fence(pair.there, 20).equals("OWNED 2")) {
                        return true;
                    }
                    mover.mover().beginSwitch(task.scopes());
                }
                return false;
            });
            assertThat(report.switches().stream().filter(MoveReport.Switch::activated))
                    .extracting(attempt -> attempt.epochs().keySet().toString())
                    .containsExactly("[19]", "[20]");
        }
        assertThat(MovePair.fence(pair.there, 19)).isEqualTo("OWNED 2");
    }
}
