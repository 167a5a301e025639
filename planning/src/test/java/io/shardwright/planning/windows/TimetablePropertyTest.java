package io.shardwright.planning.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What is judged by jumps is what one finds who looks at every minute: near changes of the clock, and far from them. */
class TimetablePropertyTest {
    /** half an hour, a change at midnight, two changes in a year beside the usual ones, none at all */
    private static final List<String> ZONES = List.of(
            "Europe/Berlin",
            "America/New_York",
            "Australia/Lord_Howe",
            "America/Sao_Paulo",
            "Africa/Casablanca",
            "Asia/Beirut",
            "Asia/Kolkata",
            "UTC");

    /** Three windows an hour that follow each other are foreseen for a little longer. */
    private static final int JUDGED = 30 * 60;

    @Property(tries = 100)
    void judgesAsOneWhoLooksAtEveryMinute(@ForAll long seed) {
        Random random = new Random(seed);
        Instant first = aTime(random);
        Timetable table = aTimetable(random, first);
        BitSet open = byTheMinute(table, first);
        for (int minute = 0; minute < JUDGED; minute += 1 + random.nextInt(120)) {
            Instant now = first.plus(Duration.ofMinutes(minute));
            Hours hours = table.at(now);

            assertThat(hours.closed().isEmpty())
                    .as("open at %s by %s", now, table)
                    .isEqualTo(open.get(minute));
            int change = open.get(minute) ? open.nextClearBit(minute) : open.nextSetBit(minute);
            if (change >= 0 && change < JUDGED) {
                assertThat(hours.until())
                        .as("change after %s by %s", now, table)
                        .contains(first.plus(Duration.ofMinutes(change)));
            } else {
                assertThat(hours.until().filter(until -> until.isBefore(first.plus(Duration.ofMinutes(JUDGED)))))
                        .as("no change after %s by %s", now, table)
                        .isEmpty();
            }
        }
    }

    /** Half of them are a day before a change of some clock. */
    private static Instant aTime(Random random) {
        Instant any =
                Instant.parse("2015-01-01T00:00:00Z").plus(Duration.ofMinutes(random.nextInt(12 * 365 * 24 * 60)));
        ZoneOffsetTransition change = zone(random).getRules().nextTransition(any);
        return random.nextBoolean() || change == null
                ? any
                : change.getInstant().minus(Duration.ofMinutes(24L * 60 + random.nextInt(120)));
    }

    private static Timetable aTimetable(Random random, Instant first) {
        List<Window> windows = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            windows.add(aWindow(random, first));
        }
        List<Freeze> freezes = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            Instant from = first.plus(Duration.ofMinutes(random.nextInt(JUDGED + 1000) - 1000));
            freezes.add(new Freeze(from, from.plus(Duration.ofMinutes(1 + random.nextInt(2000))), "audit"));
        }
        return new Timetable("tolerance", windows, freezes);
    }

    private static Window aWindow(Random random, Instant first) {
        int minute = random.nextInt(60);
        int hour = random.nextInt(5);
        int everyDays = 1 + random.nextInt(3);
        boolean everyHour = random.nextInt(4) == 0;
        int longest = everyHour ? 90 : random.nextInt(10) == 0 ? 7 * 24 * 60 : 600;
        return new Window(
                Times.around(
                        first,
                        time -> time.getMinute() == minute
                                && (everyHour || time.getHour() == hour && time.getDayOfYear() % everyDays == 0)),
                Duration.ofMinutes(1 + random.nextInt(longest)),
                zone(random));
    }

    /** All clock times of some weeks at which a window opens. */
    private record Times(NavigableSet<LocalDateTime> all) implements Schedule {
        static Times around(Instant time, Predicate<LocalDateTime> opens) {
            LocalDateTime middle = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
            return new Times(IntStream.range(-14 * 24 * 60, 21 * 24 * 60)
                    .mapToObj(middle::plusMinutes)
                    .filter(opens)
                    .collect(Collectors.toCollection(TreeSet::new)));
        }

        @Override
        public Optional<LocalDateTime> atOrBefore(LocalDateTime time) {
            return Optional.ofNullable(all.floor(time));
        }

        @Override
        public Optional<LocalDateTime> after(LocalDateTime time) {
            return Optional.ofNullable(all.higher(time));
        }

        @Override
        public String toString() {
            return all.first() + ", " + all.higher(all.first()) + ", ...";
        }
    }

    private static ZoneId zone(Random random) {
        return ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    }

    private static BitSet byTheMinute(Timetable table, Instant first) {
        BitSet open = new BitSet();
        for (Window window : table.windows()) {
            int length = (int) window.duration().toMinutes();
            int left = 0;
            for (int minute = -length; minute < JUDGED; minute++) {
                Instant now = first.plus(Duration.ofMinutes(minute));
                left = opens(window, now) ? length : left;
                if (left > 0 && minute >= 0) {
                    open.set(minute);
                }
                left--;
            }
        }
        if (table.windows().isEmpty()) {
            open.set(0, JUDGED);
        }
        for (int minute = 0; minute < JUDGED; minute++) {
            Instant now = first.plus(Duration.ofMinutes(minute));
            if (table.freezes().stream()
                    .anyMatch(freeze -> !now.isBefore(freeze.from()) && now.isBefore(freeze.to()))) {
                open.clear(minute);
            }
        }
        return open;
    }

    /** The clock shows a time at which it opens, or was put forward past one at this very moment. */
    private static boolean opens(Window window, Instant now) {
        Times times = (Times) window.schedule();
        LocalDateTime shown = LocalDateTime.ofInstant(now, window.zone());
        LocalDateTime before = LocalDateTime.ofInstant(now.minusSeconds(60), window.zone());
        boolean skipped = false;
        for (LocalDateTime time = before.plusMinutes(1); time.isBefore(shown); time = time.plusMinutes(1)) {
            skipped |= times.all().contains(time);
        }
        return skipped || times.all().contains(shown);
    }
}
