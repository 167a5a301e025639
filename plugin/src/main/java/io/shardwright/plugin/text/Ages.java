package io.shardwright.plugin.text;

import java.time.Duration;
import java.time.Instant;

/** How long ago something was, in its two largest units: {@code 42s}, {@code 7m}, {@code 3h20m}, {@code 2d4h}. */
public final class Ages {
    private Ages() {}

    /** Empty when it is not known since when; a time ahead of this machine's clock is 0s. */
    public static String text(String since, Instant now) {
        if (since == null || since.isEmpty()) {
            return "";
        }
        Duration age = Duration.between(Instant.parse(since), now);
        if (age.isNegative()) {
            return "0s";
        }
        if (age.toMinutes() < 1) {
            return age.toSeconds() + "s";
        }
        if (age.toHours() < 1) {
            return age.toMinutes() + "m";
        }
        return age.toDays() < 1
                ? age.toHours() + "h" + age.toMinutesPart() + "m"
                : age.toDays() + "d" + age.toHoursPart() + "h";
    }
}
