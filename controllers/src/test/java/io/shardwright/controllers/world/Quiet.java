package io.shardwright.controllers.world;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Watches that something does not happen. */
public final class Quiet {
    private Quiet() {}

    /** Returns after the time, or as soon as it has happened. */
    public static void observe(Duration time, BooleanSupplier happened) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0 && !happened.getAsBoolean()) {
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
        }
    }
}
