package io.shardwright.controllers.shardpolicy;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.shardwright.planning.windows.Schedule;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Function;

/**
 * A cron of five fields as clock times. The library is asked in UTC, where no clock is ever changed: what a change does to a window
 * is decided in planning.
 */
final class CronSchedule implements Schedule {
    private static final CronParser PARSER = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

    private static final LocalDateTime ANY = LocalDateTime.of(2024, 1, 1, 0, 0);

    private final ExecutionTime times;

    private CronSchedule(ExecutionTime times) {
        this.times = times;
    }

    /**
     * Takes a second or two for a day that never comes: the library looks for it through a century.
     *
     * @throws IllegalArgumentException when the text is no cron, or its day never comes; says which
     */
    static CronSchedule parse(String text) {
        CronSchedule schedule = new CronSchedule(ExecutionTime.forCron(PARSER.parse(text)));
        if (schedule.after(ANY).isEmpty()) {
            throw new IllegalArgumentException("the day of " + text + " never comes");
        }
        return schedule;
    }

    @Override
    public Optional<LocalDateTime> atOrBefore(LocalDateTime time) {
        return ask(time.truncatedTo(ChronoUnit.MINUTES).plusMinutes(1), times::lastExecution);
    }

    @Override
    public Optional<LocalDateTime> after(LocalDateTime time) {
        return ask(time.truncatedTo(ChronoUnit.MINUTES), times::nextExecution);
    }

    private static Optional<LocalDateTime> ask(
            LocalDateTime time, Function<ZonedDateTime, Optional<ZonedDateTime>> question) {
        return question.apply(utc(time)).map(ZonedDateTime::toLocalDateTime);
    }

    private static ZonedDateTime utc(LocalDateTime time) {
        return time.atZone(ZoneOffset.UTC);
    }
}
