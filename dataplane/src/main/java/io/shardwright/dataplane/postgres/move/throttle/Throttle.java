package io.shardwright.dataplane.postgres.move.throttle;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.switchover.Gate;
import io.shardwright.dataplane.postgres.move.throttle.Regulator.End;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Where those who look at the shards and those who wait for them meet; one for all incarnations of a mover. Whoever waits is
 * woken by what was seen; a limit on the wait is there because knowledge grows old by itself.
 */
public final class Throttle implements Brake, AutoCloseable {
    private final MoveTask task;
    private final BiConsumer<Optional<String>, Optional<String>> shown;
    private final Consumer<MoverFault> overflow;
    private final long interval;
    private final Regulator regulator;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Optional<Incarnation> incarnation = Optional.empty();
    /** Of this mover: looks of the one before concern nobody. */
    private Turns turns = new Turns();

    private List<Lookout> lookouts = List.of();
    private Said said = Said.NOTHING;
    private Optional<MoverFault> over = Optional.empty();
    private boolean closed;
    private long began;
    private long granted;
    private long paid;

    /** @param stopped who makes the move wait; @param warning what makes it slow, or will end it */
    private record Said(Optional<String> stopped, Optional<String> warning) {
        private static final Said NOTHING = new Said(Optional.empty(), Optional.empty());
    }

    /**
     * @param shown told who makes the move wait, and what is to be warned of, whenever that changes
     * @param overflow told of every look that finds that the move has to be given up
     */
    public Throttle(
            MoveTask task, BiConsumer<Optional<String>, Optional<String>> shown, Consumer<MoverFault> overflow) {
        this.task = task;
        this.shown = shown;
        this.overflow = overflow;
        interval = task.limits().throttling().interval().toNanos();
        regulator = new Regulator(task);
    }

    /** From now on for this mover; nobody looks before {@link #begin}. */
    public void ride(Incarnation next) {
        lock.lock();
        try {
            lookouts.forEach(Lookout::end);
            lookouts = List.of();
            incarnation = Optional.of(next);
            turns = new Turns();
            over = Optional.empty();
            regulator.forget();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        show(Said.NOTHING);
    }

    /** Looks at both shards from now on; a second call does nothing. */
    public void begin() {
        lock.lock();
        try {
            if (closed || !lookouts.isEmpty() || incarnation.isEmpty()) {
                return;
            }
            Incarnation mover = incarnation.get();
            began = System.nanoTime();
            lookouts = List.of(
                    new Lookout(this, turns, End.SOURCE, ShardProbe.ofSource(mover.source(), mover.slot())),
                    new Lookout(
                            this,
                            turns,
                            End.TARGET,
                            ShardProbe.ofTarget(
                                    mover.target(),
                                    task.target().capacityBytes().isPresent())));
            lookouts.forEach(lookout -> lookout.start(mover.moveId()));
        } finally {
            lock.unlock();
        }
    }

    /** Nobody looks while it is open: nothing competes with a switch. */
    public interface Hold extends AutoCloseable {
        @Override
        void close();
    }

    /** Opens a hold beside the look that may run: writes wait already, and must not wait for a look, too. */
    public Hold holdNow() {
        Turns now = turns();
        now.holdNow();
        return now::release;
    }

    private Turns turns() {
        lock.lock();
        try {
            return turns;
        } finally {
            lock.unlock();
        }
    }

    /** Opens a hold once the look that runs has ended; for a switch that has fenced nothing yet. */
    public Hold hold() throws MoverFault {
        Turns now = turns();
        try {
            now.hold();
            return now::release;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MoverFault.closed();
        }
    }

    long interval() {
        return interval;
    }

    void note(Lookout lookout, End end, ShardReading reading) {
        told(lookout, () -> regulator.note(end, reading));
    }

    void failed(Lookout lookout, End end, String message) {
        told(lookout, () -> regulator.failed(end, message));
    }

    private void told(Lookout lookout, Runnable what) {
        Optional<MoverFault> end;
        lock.lock();
        try {
            if (!lookouts.contains(lookout)) {
                return;
            }
            what.run();
            over = over.or(regulator::overflow);
            end = over;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        say();
        end.ifPresent(overflow);
    }

    /** What somebody should read: not that the first look is still to come. One after the other, so the newest stays. */
    private synchronized void say() {
        Said now;
        lock.lock();
        try {
            long at = System.nanoTime();
            if (!regulator.hasAsked() && at - began < 3 * interval) {
                return;
            }
            now = new Said(regulator.stopped(at), regulator.warning());
        } finally {
            lock.unlock();
        }
        show(now);
    }

    private synchronized void show(Said now) {
        if (!now.equals(said)) {
            said = now;
            shown.accept(now.stopped(), now.warning());
        }
    }

    @Override
    public void awaitRelease() throws MoverFault {
        begin();
        try {
            while (!released()) {
                say();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MoverFault.closed();
        }
    }

    /** Looks whether the next piece may begin; if not, waits until that may have changed. */
    private boolean released() throws MoverFault, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (closed) {
                throw MoverFault.closed();
            }
            if (over.isPresent()) {
                throw over.get();
            }
            long now = System.nanoTime();
            if (regulator.stopped(now).isPresent()) {
                changed.awaitNanos(interval);
                return false;
            }
            if (paid - now > 0) {
                changed.awaitNanos(paid - now);
                return false;
            }
            granted = now;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The next piece waits until the rate allows it. */
    @Override
    public void copied(long bytes) {
        lock.lock();
        try {
            long from = paid - granted > 0 ? paid : granted;
            paid = from + (long) (bytes * 1e9 / regulator.bytesPerSecond());
        } finally {
            lock.unlock();
        }
    }

    /** A gate that was found open is shut while nothing may begin. */
    public Gate over(Gate measured) {
        if (!measured.open()) {
            return measured;
        }
        lock.lock();
        try {
            return regulator
                    .stopped(System.nanoTime())
                    .map(why -> new Gate(false, why, measured.predictedMs(), measured.lagBytes()))
                    .orElse(measured);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            lookouts.forEach(Lookout::end);
            lookouts = List.of();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
