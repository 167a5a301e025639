package io.shardwright.controllers.world;

import java.util.function.LongSupplier;

/** Monotonic time that runs faster than real time, so that a minute passes in seconds. */
public final class FastClock implements LongSupplier {
    private final long begun = System.nanoTime();
    private final int factor;

    public FastClock(int factor) {
        this.factor = factor;
    }

    @Override
    public long getAsLong() {
        return begun + (System.nanoTime() - begun) * factor;
    }
}
