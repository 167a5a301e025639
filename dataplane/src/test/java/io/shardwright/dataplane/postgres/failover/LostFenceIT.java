package io.shardwright.dataplane.postgres.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer.Version;
import io.shardwright.servers.faults.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The answer to the fence is lost, and whoever looks finds that the source owns the bucket. If the stream has brought the
 * marker by then, the applier has the activation open and waits for the fence: it must not wait for ever.
 */
class LostFenceIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static ShopDatabase here;
    private static ShopDatabase there;

    @BeforeAll
    static void preparePair() {
        Integer[] all =
                IntStream.range(0, ShopDatabase.BUCKETING.buckets()).boxed().toArray(Integer[]::new);
        here = ShopDatabase.fenced(SharedServers.of(Version.OLDEST), "lost_here");
        there = ShopDatabase.fenced(SharedServers.of(Version.NEWEST), "lost_there", all);
    }

    /** The fence was there when the stream read it, and is gone when it is confirmed, as after a failover that lost it. */
    @Test
    void anAttemptThatFindsItsFenceGoneLetsTheApplierGoThatHasSeenTheMarker() {
        try (ProxiedMove move = new ProxiedMove(here, there, 1).armFence(Fault.CUT_AFTER)) {
            Interruption losing = new Interruption().before(MoverStep.CONFIRM_FENCE, () -> {
                awaitApplierThatWaitsForTheFence(move.task());
                here.plant("UPDATE shardwright.fence SET state = 'OWNED', epoch = 1, owner = 'ds-0', move_id = NULL"
                        + " WHERE scope = 'b:1'");
            });
            try (MoverDriver mover = new MoverDriver(move.task(), losing)) {
                mover.done(Command.PREPARE);
                move.write();
                mover.done(Command.VERIFY);
                mover.beginSwitch();

                assertGivenUp(mover.idle());

                awaitFreeApplier(move.task());
                assertThat(move.fences()).isEqualTo("OWNED 1 / IMPORTING 1");
                MoveReport report = mover.await(
                        "the end of the stream", now -> now.failure().isPresent());
                assertThat(report.failure()).hasValueSatisfying(LostFenceIT::isCurableAndSaysWhoOwns);
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.switchOver();
            }
            move.run(Story.MOVED);
            assertThat(move.wrong(Story.MOVED)).isEmpty();
        }
    }

    /** The contrast: no marker has come, and nothing has to be done again. */
    @Test
    void anAttemptWhoseFenceWasNeverWrittenLeavesTheStreamAsItIs() {
        try (ProxiedMove move = new ProxiedMove(here, there, 2).armFence(Fault.CUT_BEFORE)) {
            try (MoverDriver mover = new MoverDriver(move.task())) {
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.beginSwitch();

                MoveReport report = mover.idle();

                assertGivenUp(report);
                assertThat(report.failure()).isEmpty();
                assertThat(move.fences()).isEqualTo("OWNED 1 / IMPORTING 1");
                mover.switchOver();
                assertThat(move.fences()).isEqualTo("MOVED 2 / OWNED 2");
            }
        }
    }

    /** Nobody confirms the fence any more: its mover was closed, and the thread that would have done it is gone. */
    @Test
    void anApplierThatWaitsForTheFenceEndsWithItsMover() {
        try (ProxiedMove move = new ProxiedMove(here, there, 3).armFence(Fault.CUT_AFTER)) {
            AtomicReference<MoverDriver> victim = new AtomicReference<>();
            Interruption dying = new Interruption().before(MoverStep.CONFIRM_FENCE, () -> {
                awaitApplierThatWaitsForTheFence(move.task());
                victim.get().kill();
            });
            try (MoverDriver mover = new MoverDriver(move.task(), dying)) {
                victim.set(mover);
                mover.done(Command.PREPARE, Command.VERIFY);
                mover.beginSwitch();
                dying.awaitReached(MoverStep.CONFIRM_FENCE);
            }

            awaitFreeApplier(move.task());
            assertThat(move.fences()).isEqualTo("MOVED 2 / IMPORTING 1");
        }
    }

    private static void assertGivenUp(MoveReport report) {
        assertThat(report.switches()).singleElement().satisfies(attempt -> {
            assertThat(attempt).extracting(Switch::activated).isEqualTo(false);
            assertThat(attempt.blockers()).containsExactly("the fence was not written");
        });
    }

    private static void isCurableAndSaysWhoOwns(Failure failure) {
        assertThat(failure.curable()).isTrue();
        assertThat(failure.message()).contains("ds-0 owns", "[1]", "the fence was not written");
    }

    /** A read of a socket does not show as waiting. */
    private static void awaitApplierThatWaitsForTheFence(MoveTask task) {
        Eventually.until(
                "the applier to wait for the fence",
                LIMIT,
                () -> appliers(task).stream().anyMatch(thread -> thread.getState() == Thread.State.WAITING)
                        && !openOnTarget(task).isEmpty(),
                () -> evidence(task));
    }

    private static void awaitFreeApplier(MoveTask task) {
        Eventually.until(
                "no applier, and nothing that it has open",
                LIMIT,
                () -> appliers(task).isEmpty() && openOnTarget(task).isEmpty(),
                () -> evidence(task));
    }

    private static List<Thread> appliers(MoveTask task) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("applier " + task.moveId()))
                .toList();
    }

    /** Transactions of the move's sessions. */
    private static List<List<String>> openOnTarget(MoveTask task) {
        return there.server()
                .query(
                        there.name(),
                        "SELECT state, query FROM pg_stat_activity WHERE xact_start IS NOT NULL"
                                + " AND starts_with(application_name, 'shardwright/%s')"
                                        .formatted(task.moveId().toString().replace("-", "")));
    }

    private static String evidence(MoveTask task) {
        return appliers(task).stream()
                        .map(thread -> thread.getState() + " " + List.of(thread.getStackTrace()))
                        .toList()
                + " " + openOnTarget(task);
    }
}
