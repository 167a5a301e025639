package io.shardwright.planning.windows;

import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Looks at every minute of some days, one after the other. */
record Clockwork(Predicate<LocalDateTime> opens) implements Schedule {
    private static final int MINUTES = 9 * 24 * 60;

    static Clockwork daily(int hour, int minute) {
        return new Clockwork(time -> time.getHour() == hour && time.getMinute() == minute);
    }

    @Override
    public Optional<LocalDateTime> atOrBefore(LocalDateTime time) {
        LocalDateTime from = time.truncatedTo(ChronoUnit.MINUTES);
        return IntStream.range(0, MINUTES)
                .mapToObj(from::minusMinutes)
                .filter(opens)
                .findFirst();
    }

    @Override
    public Optional<LocalDateTime> after(LocalDateTime time) {
        LocalDateTime from = time.truncatedTo(ChronoUnit.MINUTES);
        return IntStream.rangeClosed(1, MINUTES)
                .mapToObj(from::plusMinutes)
                .filter(opens)
                .findFirst();
    }
}
