package io.shardwright.planning.moves;

import io.shardwright.planning.windows.Closure;
import java.time.Instant;
import java.util.Optional;

/** In every third history forward steps may begin for a minute of each hundred seconds, also after the faults have ended. */
final class SimulatedWindows {
    private static final long CYCLE = 100_000;
    private static final long OPEN = 60_000;

    private final boolean any;

    SimulatedWindows(long seed) {
        any = seed % 3 == 0;
    }

    Optional<Closure> at(long now) {
        long inCycle = now % CYCLE;
        return any && inCycle >= OPEN
                ? Optional.of(new Closure(
                        "tolerance",
                        Closure.Cause.OUTSIDE,
                        "outside of its windows",
                        Optional.of(Instant.ofEpochMilli(now - inCycle + CYCLE))))
                : Optional.empty();
    }
}
