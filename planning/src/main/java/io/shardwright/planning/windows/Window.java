package io.shardwright.planning.windows;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;

/**
 * A time that comes again and again. Between two changes of its clock the order of clock times is the order of time, so both
 * directions walk from change to change.
 *
 * @param duration how long it stays open, in real time
 */
public record Window(Schedule schedule, Duration duration, ZoneId zone) {
    /** More changes of a clock than lie between two openings: the 29th of February is eight years apart at most. */
    private static final int MOST_CHANGES = 64;

    /** When it closes, by the opening that was last; empty when it is closed at this time. */
    Optional<Instant> openUntil(Instant time) {
        return lastOpening(time).map(opened -> opened.plus(duration)).filter(time::isBefore);
    }

    /** Only one that may still be open is looked for. */
    private Optional<Instant> lastOpening(Instant time) {
        Instant earliest = time.minus(duration);
        Instant at = time;
        while (at.isAfter(earliest)) {
            ZoneOffset offset = rules().getOffset(at);
            ZoneOffsetTransition change = rules().previousTransition(at.plusNanos(1));
            Optional<LocalDateTime> clock = schedule.atOrBefore(LocalDateTime.ofInstant(at, offset));
            Optional<Instant> opened = clock.map(found -> found.toInstant(offset));
            if (change == null || opened.filter(since(change)).isPresent()) {
                return opened;
            }
            if (clock.filter(found -> isSkipped(found, change)).isPresent()) {
                return Optional.of(change.getInstant());
            }
            at = change.getInstant().minusNanos(1);
        }
        return Optional.empty();
    }

    private static java.util.function.Predicate<Instant> since(ZoneOffsetTransition change) {
        return opened -> !opened.isBefore(change.getInstant());
    }

    /** When it opens next after this time. */
    Optional<Instant> nextOpening(Instant time) {
        LocalDateTime clock = LocalDateTime.ofInstant(time, zone);
        ZoneOffset offset = rules().getOffset(time);
        ZoneOffsetTransition change = rules().nextTransition(time);
        for (int changes = 0; changes < MOST_CHANGES; changes++) {
            Optional<LocalDateTime> next = schedule.after(clock);
            ZoneOffset now = offset;
            Optional<Instant> opens = next.map(found -> found.toInstant(now));
            if (change == null || opens.isEmpty() || opens.get().isBefore(change.getInstant())) {
                return opens;
            }
            ZoneOffsetTransition passed = change;
            if (next.filter(found -> isSkipped(found, passed)).isPresent()) {
                return Optional.of(change.getInstant());
            }
            clock = change.getDateTimeAfter().minusNanos(1);
            offset = change.getOffsetAfter();
            change = rules().nextTransition(change.getInstant());
        }
        return Optional.empty();
    }

    /** The clock is put forward past this time. */
    private static boolean isSkipped(LocalDateTime clock, ZoneOffsetTransition change) {
        return change.isGap()
                && !clock.isBefore(change.getDateTimeBefore())
                && clock.isBefore(change.getDateTimeAfter());
    }

    private ZoneRules rules() {
        return zone.getRules();
    }
}
