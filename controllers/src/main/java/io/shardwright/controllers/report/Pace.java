package io.shardwright.controllers.report;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Limits how often figures of an object are written; anything but figures is written at once. */
public final class Pace<K> {
    private final Duration interval;
    private final LongSupplier nanos;
    private final Map<K, Long> last = new ConcurrentHashMap<>();

    public Pace(Duration interval, LongSupplier nanos) {
        this.interval = interval;
        this.nanos = nanos;
    }

    /** How long figures must still wait; empty = they may be written now. */
    public Optional<Duration> wait(K object) {
        Long written = last.get(object);
        if (written == null) {
            return Optional.empty();
        }
        long left = interval.toNanos() - (nanos.getAsLong() - written);
        return left <= 0 ? Optional.empty() : Optional.of(Duration.ofNanos(left));
    }

    public void written(K object) {
        last.put(object, nanos.getAsLong());
    }

    public void forget(K object) {
        last.remove(object);
    }
}
