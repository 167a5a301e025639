package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import java.security.SecureRandom;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** Drives a mover as a controller would: begins a command, waits for its end by the mover's own signal. */
final class MoverDriver implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PostgresMovers movers;
    private final Mover mover;
    private volatile boolean crashed;

    MoverDriver(MoveTask task) {
        this(task, StepBoundary.NONE);
    }

    MoverDriver(MoveTask task, StepBoundary boundary) {
        movers = new PostgresMovers(new PostgresSessions(), boundary, new SecureRandom());
        mover = movers.open(task, this::signal);
        idle();
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    MoveReport await(String what, Predicate<MoveReport> condition) {
        long left = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        lock.lock();
        try {
            while (!condition.test(mover.report()) && !crashed) {
                if (left <= 0) {
                    throw new AssertionError("waited " + LIMIT_SECONDS + " s for: " + what + "; " + mover.report());
                }
                left = changed.awaitNanos(left);
            }
            return mover.report();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            lock.unlock();
        }
    }

    MoveReport idle() {
        return await("the command to end", report -> report.running().isEmpty() && !report.switching());
    }

    /** Runs a command to its end, whatever that is. */
    MoveReport run(Mover.Command command) {
        idle();
        if (command == Mover.Command.CLEAN_UP) {
            return cleanUp(Set.of());
        }
        if (!mover.begin(command) && !crashed) {
            throw new AssertionError(command + " was not begun");
        }
        return idle();
    }

    MoveReport cleanUp(Set<String> liveRouters) {
        idle();
        if (!mover.beginCleanUp(liveRouters) && !crashed) {
            throw new AssertionError("the cleanup was not begun");
        }
        return idle();
    }

    /** Runs commands that must succeed. */
    MoveReport done(Mover.Command... commands) {
        for (Mover.Command command : commands) {
            MoveReport report = run(command);
            if (report.failure().isPresent()) {
                throw new AssertionError(command + ": " + report.failure().get());
            }
        }
        return report();
    }

    MoveReport switchGroup(SortedSet<Integer> group) {
        idle();
        if (!mover.beginSwitch(group) && !crashed) {
            throw new AssertionError("the switch was not begun");
        }
        return idle();
    }

    /** Switches every bucket of the task on its own, each until it is done. */
    MoveReport switchEach(SortedSet<Integer> buckets) {
        for (int bucket : buckets) {
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (!crashed && !switchedOnce(bucket)) {
                if (System.nanoTime() > limit) {
                    throw new AssertionError("bucket " + bucket + " was not switched: " + report());
                }
            }
        }
        return report();
    }

    private boolean switchedOnce(int bucket) {
        MoveReport report = switchGroup(new TreeSet<>(java.util.Set.of(bucket)));
        if (report.failure().isPresent() && !crashed) {
            throw new AssertionError(report.failure().get());
        }
        return report.switches().stream()
                .anyMatch(attempt -> attempt.activated() && attempt.epochs().containsKey(bucket));
    }

    /** Ends the mover from one of its own threads; whoever waits for it sees no more reports. */
    void crash() {
        crashed = true;
        mover.close();
        signal();
    }

    MoveReport report() {
        return mover.report();
    }

    Mover mover() {
        return mover;
    }

    @Override
    public void close() {
        mover.close();
        movers.close();
    }
}
