package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Case 12: a router's process is stopped (SIGSTOP) inside its transaction, with the shared lock of a bucket that shall move. */
class FrozenWriterIT {
    private static final int BUCKET = 17;
    private static final int NEIGHBOUR = 18;

    private static final Limits LONG_DRAIN =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofSeconds(30), 1 << 20, 1, false);

    private static final String MOVER_WAITS =
            "pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND NOT granted"
                    + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private WriterProcess frozen;

    @Test
    void theDrainGivesUpAndNamesItAndEverybodyElseGoesOn() throws Exception {
        MovePair pair = MovePair.upwards();
        MoveTask task = pair.task(LONG_DRAIN, BUCKET);
        try (MoverDriver mover = new MoverDriver(task, freezesAWriter(pair))) {
            mover.done(Command.PREPARE, Command.VERIFY);

            // when the mover drains the bucket
            mover.beginSwitch();
            Eventually.until("the mover to wait", () -> pair.here.count(MOVER_WAITS) == 1);
            CompletableFuture<Void> sameBucket = CompletableFuture.runAsync(() -> OrderRows.write(
                    pair.here, OrderRows.insert(BUCKET, 2, "queued").replace("INSERT", enter() + "INSERT")));
            OrderRows.write(pair.here, OrderRows.insert(NEIGHBOUR, 1, "neighbour"));
            assertThat(mover.report().switching())
                    .as("a neighbour does not wait for the drain")
                    .isTrue();

            // then it gives up, says who holds the bucket, and who queued behind it goes on
            assertThat(mover.idle().switches()).singleElement().satisfies(attempt -> {
                assertThat(attempt.activated()).isFalse();
                assertThat(attempt.blockers()) // who queued may be inside when it is asked
                        .anySatisfy(blocker -> assertThat(blocker).contains("shop_app", "frozen-router"));
            });
            sameBucket.get(30, TimeUnit.SECONDS);
            assertThat(MovePair.fence(pair.here, BUCKET)).isEqualTo("OWNED 1");

            // and while it stands still no other drain is tried, once it is older than one may take
            MoveReport shut = mover.done(Command.GATE);
            assertThat(shut.gateOpen()).isFalse();
            assertThat(shut.gateReason()).contains("frozen-router");

            // and when it goes on its commit counts, and moves
            thaw();
            mover.switchEach(task.scopes());
            assertThat(OrderRows.notes(pair.there, BUCKET)).isEqualTo("1of the process,2queued");
        } finally {
            if (frozen != null) {
                frozen.close();
            }
        }
    }

    private static String enter() {
        return "SELECT shardwright.enter(" + BUCKET + ", NULL, NULL); ";
    }

    private void thaw() throws IOException {
        frozen.thawAndCommit();
    }

    /** It comes after the gate was measured, once. */
    private StepBoundary freezesAWriter(MovePair pair) {
        return new StepBoundary() {
            @Override
            public void before(Enum<?> step, UUID moveId) {
                if (step == MoverStep.LOCK_TARGET && frozen == null) {
                    frozen = WriterProcess.inside(pair.here, "frozen-router", BUCKET, 1);
                    frozen.freeze();
                }
            }

            @Override
            public void done(Enum<?> step, UUID moveId) {}
        };
    }
}
