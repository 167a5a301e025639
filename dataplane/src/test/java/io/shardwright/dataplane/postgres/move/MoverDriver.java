package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.routing.Scope;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** The shipped mover of a task, driven as a controller would: begins a command, waits for its end by the mover's own signal. */
public final class MoverDriver implements AutoCloseable {
    /** For tests in which time is not the subject: a busy machine must neither close the gate nor end a pause. */
    public static final Limits PATIENT =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofSeconds(30), 1 << 20, 1, false);

    private static final long LIMIT_SECONDS = 60;

    /** Of those who may be lost nobody signals it. */
    private static final long GLANCE_NANOS = 20_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final MoveTask task;
    private final BooleanSupplier lost;
    private final Runnable listener;
    private final PostgresMovers movers;
    private final Mover mover;
    private volatile boolean killed;

    /** What the thread of a killed mover sees. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    public MoverDriver(MoveTask task) {
        this(task, StepBoundary.NONE);
    }

    public MoverDriver(MoveTask task, StepBoundary boundary) {
        this(task, boundary, () -> false, () -> {});
    }

    private MoverDriver(MoveTask task, StepBoundary boundary, BooleanSupplier lost, Runnable listener) {
        this.task = task;
        this.lost = lost;
        this.listener = listener;
        movers = new PostgresMovers(new PostgresSessions(), boundary, new SecureRandom());
        mover = movers.open(task, this::signal);
        idle();
    }

    /** @param lost nothing is to be heard from it any more, so nobody waits */
    public static MoverDriver untilLost(MoveTask task, StepBoundary boundary, BooleanSupplier lost) {
        return new MoverDriver(task, boundary, lost, () -> {});
    }

    /** @param listener told on the mover's own threads of every change of its report */
    static MoverDriver listenedTo(MoveTask task, Runnable listener) {
        return new MoverDriver(task, StepBoundary.NONE, () -> false, listener);
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        listener.run();
    }

    private boolean gone() {
        return killed || lost.getAsBoolean();
    }

    public MoveReport await(String what, Predicate<MoveReport> condition) {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        lock.lock();
        try {
            while (!condition.test(mover.report()) && !gone()) {
                if (System.nanoTime() > limit) {
                    throw new AssertionError("waited " + LIMIT_SECONDS + " s for: " + what + "; " + mover.report());
                }
                changed.awaitNanos(GLANCE_NANOS);
            }
            return mover.report();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            lock.unlock();
        }
    }

    public MoveReport idle() {
        return await("the command to end", report -> report.running().isEmpty() && !report.switching());
    }

    /** Runs a command to its end, whatever that is. */
    public MoveReport run(Mover.Command command) {
        if (command == Mover.Command.CLEAN_UP) {
            return cleanUp(Set.of());
        }
        begin(command);
        return idle();
    }

    public void begin(Mover.Command command) {
        idle();
        begun(mover.begin(command), command.name());
    }

    private void begun(boolean begun, String what) {
        if (!begun && !gone()) {
            throw new AssertionError(what + " was not begun: " + mover.report());
        }
    }

    MoveReport cleanUp(Set<String> liveRouters) {
        idle();
        begun(mover.beginCleanUp(liveRouters), "the cleanup");
        return idle();
    }

    public MoveReport reclaim(SortedSet<Scope> scopes) {
        idle();
        begun(mover.beginReclaim(scopes), "the reclaim");
        return idle();
    }

    /** Runs commands that must succeed. */
    public MoveReport done(Mover.Command... commands) {
        for (Mover.Command command : commands) {
            MoveReport report = run(command);
            if (report.failure().isPresent()) {
                throw new AssertionError(command + ": " + report.failure().get());
            }
        }
        return report();
    }

    /** Begins the switch of the whole set. */
    public void beginSwitch() {
        idle();
        begun(mover.beginSwitch(task.scopes()), "the switch");
    }

    public MoveReport switchGroup(SortedSet<Scope> group) {
        idle();
        begun(mover.beginSwitch(group), "the switch");
        return idle();
    }

    /** Switches every bucket of the task on its own, each until it is done; a closed gate is no failure. */
    public MoveReport switchOver() {
        return switchEach(task.scopes());
    }

    public MoveReport switchEach(SortedSet<Scope> scopes) {
        for (Scope scope : scopes) {
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (!gone() && !switchedOnce(scope)) {
                if (System.nanoTime() > limit) {
                    throw new AssertionError("bucket " + scope + " was not switched: " + report());
                }
            }
        }
        return report();
    }

    private boolean switchedOnce(Scope scope) {
        MoveReport report = switchGroup(new TreeSet<>(Set.of(scope)));
        if (report.failure().isPresent() && !gone()) {
            throw new AssertionError(report.failure().get());
        }
        return report.switches().stream()
                .anyMatch(attempt -> attempt.activated() && attempt.epochs().containsKey(scope));
    }

    /** Ends it from one of its own threads, as a crash would: sessions are gone and nothing is undone. */
    public void kill() {
        killed = true;
        mover.close();
        signal();
        throw new Killed();
    }

    static Failure failureOf(MoveReport report) {
        return report.failure().orElseThrow();
    }

    public MoveReport report() {
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
