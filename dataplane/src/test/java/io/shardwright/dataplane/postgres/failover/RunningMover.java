package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.move.PostgresMovers;
import io.shardwright.servers.Eventually;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** The shipped mover of a task, driven as a controller would drive it. */
final class RunningMover implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final MoveTask task;
    private final PostgresMovers movers;
    private final Mover mover;
    private final BooleanSupplier lost;
    private volatile boolean killed;

    RunningMover(MoveTask task) {
        this(task, StepBoundary.NONE);
    }

    RunningMover(MoveTask task, StepBoundary boundary) {
        this(task, boundary, () -> false);
    }

    /** @param lost nothing is to be heard from it any more, so nobody waits */
    RunningMover(MoveTask task, StepBoundary boundary, BooleanSupplier lost) {
        this.task = task;
        this.lost = lost;
        movers = new PostgresMovers(new PostgresSessions(), boundary, new SecureRandom());
        mover = movers.open(task, () -> {});
        idle();
    }

    MoveReport await(String what, Predicate<MoveReport> condition) {
        Eventually.until(
                what,
                LIMIT,
                () -> killed || lost.getAsBoolean() || condition.test(mover.report()),
                () -> String.valueOf(mover.report()));
        return mover.report();
    }

    MoveReport idle() {
        return await("the command to end", report -> report.running().isEmpty() && !report.switching());
    }

    /** Runs a command to its end, whatever that is. */
    MoveReport run(Command command) {
        begin(command);
        return idle();
    }

    void begin(Command command) {
        begun(command == Command.CLEAN_UP ? mover.beginCleanUp(Set.of()) : mover.begin(command), command.name());
    }

    /** Runs commands that must succeed. */
    RunningMover done(Command... commands) {
        for (Command command : commands) {
            MoveReport report = run(command);
            if (report.failure().isPresent()) {
                throw new AssertionError(command + ": " + report.failure().get());
            }
        }
        return this;
    }

    void beginSwitch() {
        begun(mover.beginSwitch(task.buckets()), "the switch");
    }

    private void begun(boolean begun, String what) {
        if (!begun && !killed && !lost.getAsBoolean()) {
            throw new AssertionError(what + " was not begun: " + mover.report());
        }
    }

    /** Tries until the bucket is switched; a closed gate is no failure. */
    void switchOver() {
        await("the switch", report -> {
            if (report.running().isPresent() || report.switching()) {
                return false;
            }
            if (report.failure().isPresent()) {
                throw new AssertionError(report.failure().get());
            }
            if (report.switches().stream().anyMatch(MoveReport.Switch::activated)) {
                return true;
            }
            beginSwitch();
            return false;
        });
    }

    /** Ends it from one of its own threads, as a crash would: sessions are gone and nothing is undone. */
    void kill() {
        killed = true;
        mover.close();
        throw new Interruption.Killed();
    }

    MoveReport report() {
        return mover.report();
    }

    @Override
    public void close() {
        mover.close();
        movers.close();
    }
}
