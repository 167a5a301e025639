package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What must be true before a bucket is fenced, and that a command never ends without saying how. */
class SwitchGuardIT {
    private MovePair pair;

    @BeforeEach
    void preparePair() {
        pair = MovePair.upwards();
        pair.here.plant("INSERT INTO orders VALUES (" + ShopDatabase.keyIn(17) + ", 1, 'row')");
    }

    private void endTheStream(MoveTask task) {
        pair.here.value(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = 'shardwright_"
                        + task.moveId().toString().replace("-", "") + "_f'");
    }

    @Test
    void rowsThatWereNotVerifiedAreNotSwitched() {
        MoveTask task = pair.task(17);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.GATE);
            assertThat(mover.switchGroup(task.scopes()).failure().orElseThrow().message())
                    .contains("not verified");
            mover.done(Command.VERIFY);
            mover.switchEach(task.scopes());
        }
    }

    @Test
    void whatWasVerifiedBeforeTheStreamEndedIsVerifiedAgain() {
        MoveTask task = pair.task(17);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE, Command.VERIFY);
            endTheStream(task);
            mover.await("the stream to end", now -> now.failure().isPresent());
            MoveReport report = mover.switchGroup(task.scopes());
            assertThat(report.stage()).isEqualTo(Stage.IN_SYNC);
            assertThat(report.switches()).isEmpty();
            assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");
            mover.done(Command.VERIFY);
            mover.switchEach(task.scopes());
        }
    }

    @Test
    void aFenceIsNotCommittedWhenTheStreamHasEnded() {
        MoveTask task = pair.task(17);
        MoverDriver[] driver = new MoverDriver[1];
        try (MoverDriver mover = new MoverDriver(task, before(MoverStep.FENCE_SOURCE, () -> {
            endTheStream(task);
            driver[0].await("the stream to end", now -> now.failure().isPresent());
        }))) {
            driver[0] = mover;
            mover.done(Command.PREPARE, Command.VERIFY);
            MoveReport report = mover.switchGroup(task.scopes());
            assertThat(report.switches()).singleElement().satisfies(attempt -> {
                assertThat(attempt.activated()).isFalse();
                assertThat(attempt.blockers()).singleElement().asString().contains("stream");
            });
            assertThat(MovePair.fence(pair.here, 17)).isEqualTo("OWNED 1");
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchEach(task.scopes());
        }
    }

    @Test
    void anErrorOfTheMachineIsAFailureOfTheCommand() {
        try (MoverDriver mover = new MoverDriver(pair.task(17), before(MoverStep.RECORD_CLEANUP, () -> {
            throw new OutOfMemoryError("as if");
        }))) {
            assertThat(mover.run(Command.PREPARE).failure()).hasValueSatisfying(failure -> {
                assertThat(failure.kind()).isEqualTo(Kind.OTHER);
                assertThat(failure.message()).contains("as if");
            });
            mover.done(Command.PREPARE);
        }
    }

    /** Once. */
    private static StepBoundary before(MoverStep wanted, Runnable what) {
        AtomicBoolean happened = new AtomicBoolean();
        return new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == wanted && happened.compareAndSet(false, true)) {
                    what.run();
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
    }

    @Test
    void foreignRowsAreLookedForInOneScanOfEachTableThatMayTakeLong() throws IOException {
        pair.there.server().runScript(pair.there.name(), "ALTER ROLE shardwright_mover SET log_statement = 'all'");
        MoveTask task = pair.task(1, 2, 3, 17);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE);
        } finally {
            pair.there.server().runScript(pair.there.name(), "ALTER ROLE shardwright_mover RESET log_statement");
        }
        String own = task.moveId().toString().replace("-", "");
        List<String> log = Files.readAllLines(pair.there.server().log());
        List<String> scans = log.stream()
                .filter(line -> line.contains(own) && line.contains("count(*) FROM \"public\""))
                .toList();
        assertThat(scans).hasSize(2).allSatisfy(scan -> assertThat(scan).contains("GROUP BY"));
        String session = scans.getFirst().replaceAll("^[^\\[]*(\\[\\d+\\]).*", "$1");
        assertThat(log).anySatisfy(line -> assertThat(line).contains(session, "statement_timeout = 0"));
    }
}
