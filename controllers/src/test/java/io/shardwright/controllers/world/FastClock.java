package io.shardwright.controllers.world;

import java.util.function.LongSupplier;

/** Monotonic time that runs faster than real time, so that a minute passes in seconds. */
public final class FastClock implements LongSupplier {
    private long realSince = System.nanoTime();
    private long shownSince = realSince;
    private int factor;

    public FastClock(int factor) {
        this.factor = factor;
    }

    /** From here on it runs at this speed; what has passed stays. */
    public synchronized void runs(int times) {
        shownSince = getAsLong();
        realSince = System.nanoTime();
        factor = times;
    }

    @Override
    public synchronized long getAsLong() {
        return shownSince + (System.nanoTime() - realSince) * factor;
    }
}
