package io.shardwright.dataplane.postgres.move.throttle;

import io.shardwright.dataplane.Throttling;
import io.shardwright.dataplane.postgres.move.throttle.ShardReading.Standby;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Which standbys of one shard make a move wait: those that are too far behind, and those of which nobody knows. It waits until
 * they are within half of the limit again. One that has been far off for long is waited for no more; a restored server that is
 * hours behind would stop every move for hours.
 */
final class StandbyWatch {
    /** A standby that lacks no more than this is near, whatever its age: an idle log has no age. */
    private static final long NEAR_BYTES = 8L << 20;

    /** So many times the limit is far off: no move of ours has brought it there, for it has stopped before. */
    private static final int FAR = 2;

    /** What is said of a lag is the largest of these that is proven, so that it does not change with every look. */
    private static final long[] SECONDS = {300, 60, 30, 20, 10, 5, 2, 1};

    private final int declared;
    private final long limit;
    private final long out;
    private final LogHistory log = new LogHistory();
    private final Map<String, Long> farSince = new HashMap<>();
    private final List<Long> missingSince = new ArrayList<>();
    private boolean waiting;

    /** @param declared standbys that the shard should have */
    StandbyWatch(int declared, Throttling throttling) {
        this.declared = declared;
        limit = throttling.pauseAboveLag().toNanos();
        out = throttling.standbyOut().toNanos();
    }

    /** @return who makes the move wait, and why; empty = nobody */
    Optional<String> note(ShardReading reading) {
        log.add(reading.began(), reading.answered(), reading.logEnd());
        List<String> behind = new ArrayList<>();
        farSince.keySet()
                .retainAll(reading.standbys().stream().map(Standby::name).toList());
        for (Standby standby : reading.standbys()) {
            if (!isOut(standby, reading) && !within(waiting ? limit / 2 : limit, standby, reading)) {
                behind.add(describe(standby, reading));
            }
        }
        int missing = missing(reading);
        if (missing > 0) {
            behind.add(missing + " of " + declared + " declared standbys " + (missing == 1 ? "does" : "do")
                    + " not stream, so nobody knows how far behind");
        }
        waiting = !behind.isEmpty();
        return waiting ? Optional.of(String.join(", ", behind)) : Optional.empty();
    }

    private boolean isOut(Standby standby, ShardReading reading) {
        boolean far = standby.replayed().isEmpty() || atLeast(standby, reading) > FAR * limit;
        if (!far) {
            farSince.remove(standby.name());
            return false;
        }
        long since = farSince.computeIfAbsent(standby.name(), name -> reading.began());
        return reading.began() - since >= out;
    }

    /** Who is missing cannot be told from who is there, so the one that has been away for longest counts as back. */
    private int missing(ShardReading reading) {
        int count = Math.max(0, declared - reading.standbys().size());
        while (missingSince.size() > count) {
            missingSince.remove(0);
        }
        while (missingSince.size() < count) {
            missingSince.add(reading.began());
        }
        return (int) missingSince.stream()
                .filter(since -> reading.began() - since < out)
                .count();
    }

    private boolean within(long most, Standby standby, ShardReading reading) {
        if (standby.replayed().isEmpty() || atLeast(standby, reading) > most) {
            return false;
        }
        long position = standby.replayed().getAsLong();
        OptionalLong atMost = log.atMost(position, reading.answered());
        return (atMost.isPresent() && atMost.getAsLong() <= most) || log.missing(position) <= NEAR_BYTES;
    }

    private long atLeast(Standby standby, ShardReading reading) {
        return log.atLeast(standby.replayed().getAsLong(), reading.began());
    }

    private String describe(Standby standby, ShardReading reading) {
        if (standby.replayed().isEmpty()) {
            return "standby " + standby.name() + " has not said how far behind it is";
        }
        long mib = log.missing(standby.replayed().getAsLong()) >> 20;
        String bytes = mib > 0 ? ", and more than " + Long.highestOneBit(mib) + " MiB" : "";
        long seconds = TimeUnit.NANOSECONDS.toSeconds(atLeast(standby, reading));
        for (long proven : SECONDS) {
            if (seconds >= proven) {
                return "standby " + standby.name() + " is more than " + proven + " s behind" + bytes;
            }
        }
        return "standby " + standby.name() + " is behind" + bytes + ", nobody knows for how long";
    }
}
