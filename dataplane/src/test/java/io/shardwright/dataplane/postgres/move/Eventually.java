package io.shardwright.dataplane.postgres.move;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** For what only a server knows and tells nobody: asks until it is so. */
final class Eventually {
    private static final long LIMIT_SECONDS = 30;

    private Eventually() {}

    static void holds(String what, BooleanSupplier condition) {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("waited " + LIMIT_SECONDS + " s for " + what);
            }
            LockSupport.parkNanos(20_000_000L);
        }
    }
}
