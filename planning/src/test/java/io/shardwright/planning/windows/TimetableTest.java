package io.shardwright.planning.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When forward steps may begin, and what people read when they may not. */
class TimetableTest {
    private static final Freeze HOLIDAYS = freeze("2026-12-20T00:00:00Z", "2027-01-03T00:00:00Z", "holidays");

    @Test
    void withoutAWindowItIsOpenAlways() {
        assertThat(table().at(at("2026-01-01T00:00:00Z"))).isEqualTo(Hours.ALWAYS);
    }

    @Test
    void aWindowIsOpenFromItsFirstMomentToTheLastBeforeItsEnd() {
        Timetable table = table(daily(2, 0, Duration.ofHours(4), "UTC"));

        assertThat(table.at(at("2026-05-04T01:59:59Z")).closed()).isPresent();
        assertThat(table.at(at("2026-05-04T02:00:00Z"))).isEqualTo(openUntil("2026-05-04T06:00:00Z"));
        assertThat(table.at(at("2026-05-04T05:59:59Z"))).isEqualTo(openUntil("2026-05-04T06:00:00Z"));
        assertThat(table.at(at("2026-05-04T06:00:00Z")).until()).contains(at("2026-05-05T02:00:00Z"));
    }

    @Test
    void saysWhenTheNextWindowOpensByTheClockOfItsZoneToo() {
        Closure closure = closed(table(daily(2, 0, Duration.ofHours(4), "Asia/Seoul")), "2026-05-04T00:00:00Z");

        assertThat(closure.cause()).isEqualTo(Closure.Cause.OUTSIDE);
        assertThat(closure.policy()).isEqualTo("tolerance");
        assertThat(closure.reason())
                .isEqualTo("outside of its windows; the next one opens at 2026-05-04T17:00:00Z"
                        + " (2026-05-05 02:00 in Asia/Seoul)");
        assertThat(closure.advice())
                .isEqualTo("wait until 2026-05-04T17:00:00Z; to let it go on earlier, change windows and freezes of"
                        + " ShardPolicy tolerance");
    }

    @Test
    void aWindowGoesOnAfterMidnight() {
        Timetable table = table(daily(22, 0, Duration.ofHours(8), "Europe/Berlin"));

        assertThat(table.at(at("2026-06-10T02:00:00Z"))).isEqualTo(openUntil("2026-06-10T04:00:00Z"));
    }

    @Test
    void windowsThatOverlapOrTouchAreOne() {
        Timetable table = table(
                daily(1, 0, Duration.ofHours(2), "UTC"),
                daily(2, 30, Duration.ofHours(1), "UTC"),
                daily(3, 30, Duration.ofMinutes(30), "UTC"));

        assertThat(table.at(at("2026-06-10T01:30:00Z"))).isEqualTo(openUntil("2026-06-10T04:00:00Z"));
    }

    @Test
    void aWindowMayOverlapItself() {
        Timetable table = table(new Window(
                new Clockwork(time -> time.getMinute() == 0 && time.getHour() < 3),
                Duration.ofMinutes(90),
                ZoneId.of("UTC")));

        assertThat(table.at(at("2026-06-10T00:10:00Z"))).isEqualTo(openUntil("2026-06-10T03:30:00Z"));
    }

    @Test
    void aWindowThatNeverClosesIsLookedAtAgainSomeTime() {
        Hours hours = table(new Window(new Clockwork(time -> true), Duration.ofMinutes(1), ZoneId.of("UTC")))
                .at(at("2026-06-10T00:00:30Z"));

        assertThat(hours.closed()).isEmpty();
        assertThat(hours.until().orElseThrow()).isAfter(at("2026-06-10T01:00:00Z"));
    }

    @Test
    void aFreezeBeatsEveryWindowAndSaysWhy() {
        Timetable table =
                new Timetable("tolerance", List.of(daily(2, 0, Duration.ofHours(4), "UTC")), List.of(HOLIDAYS));

        Closure closure = closed(table, "2026-12-24T03:00:00Z");

        assertThat(closure.cause()).isEqualTo(Closure.Cause.FROZEN);
        assertThat(closure.reason())
                .isEqualTo("frozen from 2026-12-20T00:00:00Z to 2027-01-03T00:00:00Z: holidays; nothing begins before"
                        + " 2027-01-03T02:00:00Z (2027-01-03 02:00 in UTC)");
        assertThat(closure.until()).contains(at("2027-01-03T02:00:00Z"));
    }

    @Test
    void withoutWindowsTheEndOfAFreezeIsEnough() {
        Timetable table = new Timetable("tolerance", List.of(), List.of(HOLIDAYS));

        assertThat(table.at(at("2026-12-19T23:59:59Z"))).isEqualTo(openUntil("2026-12-20T00:00:00Z"));
        assertThat(closed(table, "2026-12-20T00:00:00Z").reason())
                .isEqualTo("frozen from 2026-12-20T00:00:00Z to 2027-01-03T00:00:00Z: holidays");
        assertThat(closed(table, "2027-01-02T23:59:59Z").until()).contains(HOLIDAYS.to());
        assertThat(table.at(HOLIDAYS.to())).isEqualTo(Hours.ALWAYS);
    }

    @Test
    void ofFreezesThatOverlapTheOneThatLastsLongestIsNamed() {
        Freeze audit = freeze("2026-12-01T00:00:00Z", "2026-12-22T00:00:00Z", "audit");
        Timetable table = new Timetable("tolerance", List.of(), List.of(HOLIDAYS, audit));

        assertThat(closed(table, "2026-12-21T00:00:00Z").reason()).contains("holidays");
        assertThat(closed(table, "2026-12-19T00:00:00Z").reason()).contains("audit");
        assertThat(closed(table, "2026-12-19T00:00:00Z").until()).contains(HOLIDAYS.to());
    }

    @Test
    void anOpenWindowEndsWhereAFreezeBegins() {
        Freeze audit = freeze("2026-06-10T03:00:00Z", "2026-06-10T04:00:00Z", "audit");
        Timetable table = new Timetable("tolerance", List.of(daily(2, 0, Duration.ofHours(4), "UTC")), List.of(audit));

        assertThat(table.at(at("2026-06-10T02:00:00Z"))).isEqualTo(openUntil("2026-06-10T03:00:00Z"));
        assertThat(closed(table, "2026-06-10T03:00:00Z").until()).contains(at("2026-06-10T04:00:00Z"));
        assertThat(table.at(at("2026-06-10T04:00:00Z"))).isEqualTo(openUntil("2026-06-10T06:00:00Z"));
    }

    @Test
    void aWindowThatOpensInAFreezeIsOpenForItsRest() {
        Freeze audit = freeze("2026-06-10T01:00:00Z", "2026-06-10T05:00:00Z", "audit");
        Timetable table = new Timetable("tolerance", List.of(daily(2, 0, Duration.ofHours(4), "UTC")), List.of(audit));

        assertThat(closed(table, "2026-06-10T00:30:00Z").cause()).isEqualTo(Closure.Cause.OUTSIDE);
        assertThat(closed(table, "2026-06-10T00:30:00Z").until()).contains(at("2026-06-10T05:00:00Z"));
    }

    @Test
    void aWindowThatNeverOpensAgainIsWaitedForByNobody() {
        Closure closure = closed(
                table(new Window(new Clockwork(time -> false), Duration.ofHours(1), ZoneId.of("Europe/Berlin"))),
                "2026-06-10T00:30:00Z");

        assertThat(closure.until()).isEmpty();
        assertThat(closure.reason()).isEqualTo("outside of its windows; none opens any more");
        assertThat(closure.advice()).startsWith("wait; to let it go on earlier");
    }

    /** On 29 March 2026 clocks in Berlin go from 02:00 to 03:00. */
    @Test
    void anOpeningThatTheClockSkipsIsAtTheMomentOfTheJump() {
        Timetable table = table(daily(2, 30, Duration.ofHours(1), "Europe/Berlin"));

        assertThat(closed(table, "2026-03-29T00:59:59Z").until()).contains(at("2026-03-29T01:00:00Z"));
        assertThat(table.at(at("2026-03-29T01:00:00Z"))).isEqualTo(openUntil("2026-03-29T02:00:00Z"));
        assertThat(closed(table, "2026-03-29T02:00:00Z").until()).contains(at("2026-03-30T00:30:00Z"));
    }

    @Test
    void theFirstAndTheLastSkippedMinuteCountAndTheirNeighboursAreWhereTheyAre() {
        assertThat(opensOnTheDayOfTheJump(1, 59)).isEqualTo(at("2026-03-29T00:59:00Z"));
        assertThat(opensOnTheDayOfTheJump(2, 0)).isEqualTo(at("2026-03-29T01:00:00Z"));
        assertThat(opensOnTheDayOfTheJump(2, 59)).isEqualTo(at("2026-03-29T01:00:00Z"));
        assertThat(opensOnTheDayOfTheJump(3, 0)).isEqualTo(at("2026-03-29T01:00:00Z"));
        assertThat(opensOnTheDayOfTheJump(3, 1)).isEqualTo(at("2026-03-29T01:01:00Z"));
    }

    private static Instant opensOnTheDayOfTheJump(int hour, int minute) {
        return closed(table(daily(hour, minute, Duration.ofMinutes(1), "Europe/Berlin")), "2026-03-29T00:00:00Z")
                .until()
                .orElseThrow();
    }

    /** On 25 October 2026 clocks in Berlin go from 03:00 back to 02:00. */
    @Test
    void anOpeningThatTheClockShowsTwiceIsTwice() {
        Timetable table = table(daily(2, 30, Duration.ofMinutes(30), "Europe/Berlin"));

        assertThat(table.at(at("2026-10-25T00:30:00Z"))).isEqualTo(openUntil("2026-10-25T01:00:00Z"));
        assertThat(closed(table, "2026-10-25T01:00:00Z").until()).contains(at("2026-10-25T01:30:00Z"));
        assertThat(table.at(at("2026-10-25T01:59:59Z"))).isEqualTo(openUntil("2026-10-25T02:00:00Z"));
        assertThat(closed(table, "2026-10-25T02:00:00Z").until()).contains(at("2026-10-26T01:30:00Z"));
    }

    @Test
    void aLengthIsRealTimeWhateverTheClockDoesMeanwhile() {
        Timetable table = table(daily(0, 0, Duration.ofHours(4), "Europe/Berlin"));

        assertThat(table.at(at("2026-03-28T23:00:00Z"))).isEqualTo(openUntil("2026-03-29T03:00:00Z"));
        assertThat(table.at(at("2026-10-24T22:00:00Z"))).isEqualTo(openUntil("2026-10-25T02:00:00Z"));
    }

    @Test
    void anOpeningThatIsYearsAwayIsFoundBehindEveryChangeOfTheClock() {
        LocalDateTime leap = LocalDateTime.parse("2104-02-29T12:00");
        Schedule once = new Schedule() {
            @Override
            public Optional<LocalDateTime> atOrBefore(LocalDateTime time) {
                return Optional.of(leap).filter(day -> !day.isAfter(time));
            }

            @Override
            public Optional<LocalDateTime> after(LocalDateTime time) {
                return Optional.of(leap).filter(time::isBefore);
            }
        };
        Timetable table = table(new Window(once, Duration.ofHours(1), ZoneId.of("Europe/Berlin")));

        assertThat(closed(table, "2096-03-01T00:00:00Z").until()).contains(at("2104-02-29T11:00:00Z"));
    }

    @Test
    void whatCannotBeObeyedIsClosedAndSaysWhatToCorrect() {
        Closure closure = Closure.unreadable("tolerance", "spec.windows[0].timeZone: there is no time zone Asia/Soul");

        assertThat(Hours.closed(closure).closed()).contains(closure);
        assertThat(closure.until()).isEmpty();
        assertThat(closure.advice())
                .isEqualTo("correct ShardPolicy tolerance: its windows cannot be obeyed:"
                        + " spec.windows[0].timeZone: there is no time zone Asia/Soul");
    }

    private static Closure closed(Timetable table, String time) {
        return table.at(at(time)).closed().orElseThrow();
    }

    private static Hours openUntil(String time) {
        return new Hours(Optional.empty(), Optional.of(at(time)));
    }

    private static Timetable table(Window... windows) {
        return new Timetable("tolerance", List.of(windows), List.of());
    }

    private static Window daily(int hour, int minute, Duration duration, String zone) {
        return new Window(Clockwork.daily(hour, minute), duration, ZoneId.of(zone));
    }

    private static Freeze freeze(String from, String to, String reason) {
        return new Freeze(at(from), at(to), reason);
    }

    private static Instant at(String time) {
        return Instant.parse(time);
    }
}
