package io.shardwright.dataplane.postgres.move.throttle;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * When the end of a log was where. It turns the position of a standby into an age of what the standby lacks, by one clock, also
 * when the standby says nothing any more: what the server itself shows as lag then stays as it was.
 */
final class LogHistory {
    private static final int KEPT = 1_024;

    private final Deque<Sample> samples = new ArrayDeque<>();

    private record Sample(long began, long answered, long end) {}

    void add(long began, long answered, long end) {
        if (!samples.isEmpty() && end < samples.getLast().end()) { // another server's log
            samples.clear();
        }
        samples.addLast(new Sample(began, answered, end));
        if (samples.size() > KEPT) {
            samples.removeFirst();
        }
    }

    /** What the position lacks is older than this; 0 when it lacks nothing that was seen. */
    long atLeast(long position, long now) {
        for (Sample sample : samples) {
            if (sample.end() > position) {
                return Math.max(0, now - sample.answered());
            }
        }
        return 0;
    }

    /** What the position lacks is no older than this; empty = older than all that was seen. */
    OptionalLong atMost(long position, long now) {
        OptionalLong age = OptionalLong.empty();
        for (Sample sample : samples) {
            if (sample.end() <= position) {
                age = OptionalLong.of(sample == samples.getLast() ? 0 : now - sample.began());
            }
        }
        return age;
    }

    long missing(long position) {
        return samples.isEmpty() ? 0 : Math.max(0, samples.getLast().end() - position);
    }
}
