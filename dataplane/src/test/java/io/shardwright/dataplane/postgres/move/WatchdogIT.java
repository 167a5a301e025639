package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.RefusedWrites;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pause ends although the watchdog's first attempt fails: writers would wait for whoever comes next otherwise. */
class WatchdogIT {
    private static final int BUCKET = 17;
    private static final Limits HASTY =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofMillis(500), 1 << 20, 1, false);

    private final CountDownLatch thaw = new CountDownLatch(1);
    private final Map<MoverStep, Runnable> firstTime = new ConcurrentHashMap<>();
    private MovePair pair;
    private MoveTask task;
    private MoverDriver frozen;

    @BeforeEach
    void aMoverThatStandsStillBeforeTheActivation() {
        pair = MovePair.upwards();
        pair.here.plant("INSERT INTO orders VALUES (" + ShopDatabase.keyIn(BUCKET) + ", 1, 'row')");
        task = pair.task(HASTY, BUCKET);
        frozen = new MoverDriver(task, new Boundary());
        frozen.done(Command.PREPARE, Command.VERIFY);
    }

    @AfterEach
    void end() {
        thaw.countDown();
        frozen.close();
    }

    /** As the next mover does when it takes the move over: it ends whatever carries the name of the move. */
    @Test
    void aDecisionWhoseSessionsAreEndedIsMadeAgain() {
        firstTime.put(
                MoverStep.ABORT_TARGET,
                () -> pair.there.value("SELECT count(pg_terminate_backend(pid, 5000))"
                        + " FROM pg_stat_activity WHERE starts_with(application_name, 'shardwright/"
                        + task.moveId().toString().replace("-", "") + "')"));

        frozen.mover().beginSwitch(task.scopes());

        awaitReclaimed();
    }

    @Test
    void aTargetThatIsOutOfReachWhenThePauseIsOverIsAskedAgain() {
        firstTime.put(MoverStep.FENCE_SOURCE, () -> reachable(false));

        frozen.mover().beginSwitch(task.scopes());
        MoveReport report = frozen.await("the watchdog", now -> now.failure().isPresent());
        assertThat(report.failure().orElseThrow().kind()).isNotEqualTo(Kind.DECIDED_AGAINST);
        assertThat(MovePair.fence(pair.here, BUCKET)).isEqualTo("MOVED 2");
        reachable(true);

        awaitReclaimed();
    }

    /** It could not take the bucket back, and nobody else may once that is decided. */
    @Test
    void aSourceThatTakesNoWritesIsNotDecidedForUntilItTakesThemAgain() {
        RefusedWrites source = RefusedWrites.of(pair.here);
        firstTime.put(MoverStep.ACTIVATE_TARGET, () -> source.refuse(true));

        frozen.mover().beginSwitch(task.scopes());
        frozen.await(
                "the watchdog",
                now -> now.failure()
                        .filter(failure -> failure.kind() == Kind.SOURCE_READ_ONLY)
                        .isPresent());
        assertThat(MovePair.fence(pair.here, BUCKET)).isEqualTo("MOVED 2");
        assertThat(MovePair.fence(pair.there, BUCKET)).isEqualTo("IMPORTING 1");
        source.refuse(false);

        awaitReclaimed();
    }

    private void reachable(boolean wanted) {
        pair.there
                .server()
                .runScript("postgres", "ALTER DATABASE " + pair.there.name() + " ALLOW_CONNECTIONS " + wanted);
    }

    private void awaitReclaimed() {
        Eventually.until(
                "the source to take the bucket back",
                () -> MovePair.fence(pair.here, BUCKET).equals("OWNED 3"));
        assertThat(MovePair.fence(pair.there, BUCKET)).isEqualTo("ABORTED 1");
        assertThat(frozen.await(
                                "what the watchdog says",
                                now -> now.failure()
                                        .map(failure -> failure.kind() == Kind.DECIDED_AGAINST)
                                        .orElse(false))
                        .failure())
                .isPresent();
    }

    private final class Boundary implements StepBoundary {
        @Override
        public void before(Enum<?> step, UUID moveId) {
            Runnable once = firstTime.remove((MoverStep) step);
            if (once != null) {
                once.run();
            }
            if (step == MoverStep.ACTIVATE_TARGET) {
                Freezing.await(thaw);
            }
        }

        @Override
        public void done(Enum<?> step, UUID moveId) {}
    }
}
