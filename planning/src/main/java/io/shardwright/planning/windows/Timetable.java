package io.shardwright.planning.windows;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Windows and freezes of one policy, judged at any time.
 *
 * @param policy its name
 * @param windows none = always
 */
public record Timetable(String policy, List<Window> windows, List<Freeze> freezes) {
    /** Windows that follow each other without a gap are one long one; after so many nobody looks further. */
    private static final int MOST_STEPS = 100;

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");

    public Timetable {
        windows = List.copyOf(windows);
        freezes = List.copyOf(freezes);
    }

    public Hours at(Instant now) {
        if (isOpen(now)) {
            return new Hours(Optional.empty(), nextChange(now));
        }
        return Hours.closed(frozen(now).map(freeze -> closed(now, freeze)).orElseGet(() -> outside(now)));
    }

    private boolean isOpen(Instant time) {
        return frozen(time).isEmpty() && (windows.isEmpty() || openUntil(time).isPresent());
    }

    /** Of several the one that lasts longest. */
    private Optional<Freeze> frozen(Instant time) {
        return freezes.stream().filter(freeze -> freeze.covers(time)).max(Comparator.comparing(Freeze::to));
    }

    private Closure closed(Instant now, Freeze freeze) {
        Optional<Instant> opens = nextChange(now);
        String later = opens.map(time -> "; nothing begins before " + time + clock(time))
                .orElse("; no window opens after it");
        return new Closure(
                policy,
                Closure.Cause.FROZEN,
                "frozen from " + freeze.from() + " to " + freeze.to() + ": " + freeze.reason()
                        + (opens.filter(freeze.to()::equals).isPresent() ? "" : later),
                opens);
    }

    private Closure outside(Instant now) {
        Optional<Instant> opens = nextChange(now);
        String next =
                opens.map(time -> "the next one opens at " + time + clock(time)).orElse("none opens any more");
        return new Closure(policy, Closure.Cause.OUTSIDE, "outside of its windows; " + next, opens);
    }

    /** As the clock of the window shows it. */
    private String clock(Instant opens) {
        return windows.stream()
                .filter(window -> window.openUntil(opens).isPresent())
                .findFirst()
                .map(window -> " (" + CLOCK.format(LocalDateTime.ofInstant(opens, window.zone())) + " in "
                        + window.zone() + ")")
                .orElse("");
    }

    private Optional<Instant> nextChange(Instant now) {
        boolean open = isOpen(now);
        Optional<Instant> at = Optional.of(now);
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            at = at.flatMap(this::nextBoundary);
            if (at.isEmpty() || isOpen(at.get()) != open) {
                return at;
            }
        }
        return at;
    }

    /** Before this time nothing changes; at it something may. */
    private Optional<Instant> nextBoundary(Instant time) {
        Optional<Freeze> freeze = frozen(time);
        if (freeze.isPresent()) {
            return freeze.map(Freeze::to);
        }
        Optional<Instant> closes = openUntil(time);
        Stream<Instant> openings = closes.isPresent()
                ? closes.stream()
                : windows.stream().flatMap(window -> window.nextOpening(time).stream());
        Stream<Instant> ofFreezes = freezes.stream().map(Freeze::from).filter(time::isBefore);
        return Stream.concat(openings, ofFreezes).min(Comparator.naturalOrder());
    }

    /** By the window that closes last, whatever is frozen; empty when none is open. */
    private Optional<Instant> openUntil(Instant time) {
        return windows.stream()
                .flatMap(window -> window.openUntil(time).stream())
                .max(Comparator.naturalOrder());
    }
}
