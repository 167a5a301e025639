package io.shardwright.dataplane.postgres.move.switchover;

import java.util.LinkedHashMap;
import java.util.Map;

/** The moments of one switch, in nanoseconds; written by two threads, read when both are done. */
final class HoldClock {
    private volatile long queued;
    private volatile long drained;
    private volatile long fenced;
    private volatile long markerSeen;
    private volatile long activated;
    private volatile long released;

    void queued() {
        queued = System.nanoTime();
    }

    /** @param seconds from queueing to the lock, by the server's clock */
    void drained(double seconds) {
        drained = queued + Math.max(0, (long) (seconds * 1e9));
    }

    void fenced() {
        fenced = System.nanoTime();
    }

    void markerSeen() {
        markerSeen = System.nanoTime();
    }

    void activated() {
        activated = System.nanoTime();
    }

    void released() {
        released = System.nanoTime();
    }

    /** A drain that timed out held writers from queueing to giving up. */
    void gaveUp() {
        released = System.nanoTime();
    }

    double holdMs() {
        return queued == 0 ? 0 : Math.max(0, released - queued) / 1e6;
    }

    /** Milliseconds by part; the hop is what the marker needed beyond the answered commit. */
    Map<String, Double> parts() {
        Map<String, Double> parts = new LinkedHashMap<>();
        put(parts, "drain", queued, drained);
        put(parts, "fence", drained, fenced);
        put(parts, "hop", fenced, Math.max(fenced, markerSeen));
        put(parts, "apply", Math.max(fenced, markerSeen), activated);
        put(parts, "release", activated, released);
        return parts;
    }

    private static void put(Map<String, Double> parts, String name, long from, long to) {
        if (from != 0 && to != 0) {
            parts.put(name, Math.max(0, to - from) / 1e6);
        }
    }
}
