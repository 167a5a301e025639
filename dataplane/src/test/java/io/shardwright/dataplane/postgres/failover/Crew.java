package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The movers that one process has open for a story: that of the move, and that of its way back once it is asked for. */
final class Crew implements AutoCloseable {
    /** A shut gate is no failure, but not for ever. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final MoveTask task;
    private final BooleanSupplier lost;
    private final StepBoundary boundary;
    private MoverDriver there;
    private MoverDriver back;

    /**
     * @param deadly step before which the mover of the move dies
     * @param lost the process is not heard any more
     */
    Crew(MoveTask task, Optional<MoverStep> deadly, BooleanSupplier lost) {
        this.task = task;
        this.lost = lost;
        boundary = deadly.<StepBoundary>map(step -> new Interruption().before(step, () -> there.kill()))
                .orElse(StepBoundary.NONE);
    }

    private MoverDriver there() {
        if (there == null) {
            there = MoverDriver.untilLost(task, boundary, lost);
        }
        return there;
    }

    private MoverDriver back() {
        if (back == null) {
            back = MoverDriver.untilLost(task.reversal(), StepBoundary.NONE, lost);
        }
        return back;
    }

    /** @return false when a command has failed, or is not heard of any more */
    boolean moves(Command... commands) {
        return succeeds(there(), commands);
    }

    boolean movesBack(Command... commands) {
        return succeeds(back(), commands);
    }

    private static boolean succeeds(MoverDriver mover, Command... commands) {
        for (Command command : commands) {
            if (!well(mover.run(command))) {
                return false;
            }
        }
        return true;
    }

    private static boolean well(MoveReport report) {
        return report.running().isEmpty()
                && !report.switching()
                && report.failure().isEmpty();
    }

    /** @param switched whether it is done */
    boolean switches(BooleanSupplier switched) {
        return switches(there(), switched);
    }

    boolean switchesBack(BooleanSupplier switched) {
        return switches(back(), switched);
    }

    private static boolean switches(MoverDriver mover, BooleanSupplier switched) {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (!switched.getAsBoolean()) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("not switched: " + mover.report());
            }
            mover.beginSwitch();
            if (!well(mover.idle())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        if (there != null) {
            there.close();
        }
        if (back != null) {
            back.close();
        }
    }
}
