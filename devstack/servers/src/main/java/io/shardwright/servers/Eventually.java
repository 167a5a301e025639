package io.shardwright.servers;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waiting for a named condition with a limit. A failed wait says what was waited for, how long, and the evidence that
 * the caller can give (log tails, objects), because "timed out" alone has never helped anybody.
 */
public final class Eventually {
    private static final long SHORTEST_NANOS = Duration.ofMillis(20).toNanos();
    private static final long LONGEST_NANOS = Duration.ofMillis(500).toNanos();

    /** A look costs work on the machine that the awaited work needs: after a long wait it may come a little later. */
    private static final int LOOKS_PER_WAIT = 20;

    private static final Duration USUAL_LIMIT = Duration.ofSeconds(30);

    private Eventually() {}

    /** The condition did not become true within its limit. */
    public static final class NotInTimeException extends AssertionError {
        private static final long serialVersionUID = 1L;

        NotInTimeException(String message) {
            super(message);
        }
    }

    /**
     * Returns when the condition is true.
     *
     * @param what the condition in words, as in "waited 30 s for: ..."
     * @throws NotInTimeException with the evidence, when the limit has passed
     */
    public static void until(String what, Duration limit, BooleanSupplier condition, Supplier<String> evidence) {
        var began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            var waited = System.nanoTime() - began;
            if (waited >= limit.toNanos()) {
                throw new NotInTimeException(
                        "waited %.1f s for: %s%n%s".formatted(seconds(limit), what, evidence.get()));
            }
            LockSupport.parkNanos(Math.clamp(waited / LOOKS_PER_WAIT, SHORTEST_NANOS, LONGEST_NANOS));
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting for: " + what);
            }
        }
    }

    /** As {@link #until(String, Duration, BooleanSupplier, Supplier)}, where the condition's name is all there is to say. */
    public static void until(String what, BooleanSupplier condition) {
        until(what, USUAL_LIMIT, condition, () -> "");
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
