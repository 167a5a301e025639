package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.servers.Eventually;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** What happens just before a mover's step, the first time that it comes there, on the thread that is to do the step. */
final class Interruption implements StepBoundary {
    private final Map<MoverStep, Runnable> first = new ConcurrentHashMap<>();
    private final Set<MoverStep> reached = ConcurrentHashMap.newKeySet();

    Interruption before(MoverStep step, Runnable what) {
        first.put(step, what);
        return this;
    }

    /** The step begins, and whatever was to happen before it has happened. */
    void awaitReached(MoverStep step) {
        Eventually.until(
                "the mover to reach " + step, Duration.ofSeconds(60), () -> reached.contains(step), reached::toString);
    }

    @Override
    public void before(Enum<?> step, UUID moveId) {
        Runnable once = first.remove((MoverStep) step);
        try {
            if (once != null) {
                once.run();
            }
        } finally {
            reached.add((MoverStep) step);
        }
    }

    @Override
    public void done(Enum<?> step, UUID moveId) {}
}
