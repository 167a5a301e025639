package io.shardwright.stage.workload;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Begins operations at a fixed rate, each on a thread of its own: a stall of one delays none of the others, and is measured
 * from the time at which the stalled one should have been sent.
 */
final class OpenLoop {
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Of the rate, at the very beginning of the ramp. */
    private static final double FIRST = 0.1;

    private final double perSecond;
    private final Duration ramp;
    private final Consumer<Instant> operation;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Thread pacer = new Thread(this::pace, "pacer");
    private volatile boolean stopped;

    /** @param ramp in which the rate grows from a tenth to the whole: a cold process cannot do more */
    OpenLoop(double perSecond, Duration ramp, Consumer<Instant> operation) {
        this.perSecond = perSecond;
        this.ramp = ramp;
        this.operation = operation;
    }

    void start() {
        pacer.start();
    }

    /** Begins no more, and waits for what has begun. True when all of it has ended in time. */
    boolean stop(Duration limit) throws InterruptedException {
        stopped = true;
        LockSupport.unpark(pacer); // at a low rate its next turn may be minutes away
        pacer.join();
        threads.shutdown();
        return threads.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void pace() {
        Instant epoch = Instant.now();
        long start = System.nanoTime();
        long next = 0;
        while (awaitTurn(start + next)) {
            Instant intended = epoch.plusNanos(next);
            threads.execute(() -> operation.accept(intended));
            next += period(next);
        }
    }

    /** False when it was stopped meanwhile. */
    private boolean awaitTurn(long turn) {
        for (long wait = turn - System.nanoTime(); wait > 0 && !stopped; wait = turn - System.nanoTime()) {
            LockSupport.parkNanos(wait);
        }
        return !stopped;
    }

    private long period(long sinceStart) {
        double grown = ramp.isZero() ? 1 : Math.min(1, FIRST + (1 - FIRST) * sinceStart / ramp.toNanos());
        return (long) (NANOS / (perSecond * grown));
    }
}
