package io.shardwright.planning.leftovers;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Since when things have looked the same. Kept from look to look; what is not seen again is forgotten.
 *
 * @param since monotonic time of the first look that showed a thing as it is
 */
public record Sightings(Map<Object, Long> since) {
    /** A move that was just made may have no object yet for whoever reads; it has one a minute later. */
    public static final Duration PROBATION = Duration.ofMinutes(1);

    public static final Sightings NONE = new Sightings(Map.of());

    public Sightings {
        since = Map.copyOf(since);
    }

    /** Those of one look, in the making. */
    static final class Book {
        private final Sightings before;
        private final long nowNanos;
        private final Map<Object, Long> since = new HashMap<>();

        Book(Sightings before, long nowNanos) {
            this.before = before;
            this.nowNanos = nowNanos;
        }

        /** @return whether it has been seen so for long enough */
        boolean note(Object thing) {
            long first = before.since().getOrDefault(thing, nowNanos);
            since.put(thing, first);
            return nowNanos - first >= PROBATION.toNanos();
        }

        Sightings done() {
            return new Sightings(since);
        }
    }
}
