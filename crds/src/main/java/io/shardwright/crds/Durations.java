package io.shardwright.crds;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as specs write them: {@code 300ms}, {@code 1.5s}, {@code 1h30m}. The API server has checked shape and range
 * (its own {@code format: duration} would accept {@code 3 days} and {@code -5s}).
 */
public final class Durations {
    /** Schema pattern of every duration. */
    public static final String PATTERN = "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$";

    private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h)");

    private Durations() {}

    /** @throws IllegalArgumentException when the text is no duration */
    public static Duration parse(String text) {
        if (!text.matches(PATTERN)) {
            throw new IllegalArgumentException("a duration is written like 300ms or 1h30m, not '" + text + "'");
        }
        BigDecimal nanos = BigDecimal.ZERO;
        for (Matcher part = PART.matcher(text); part.find(); ) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(nanosOf(part.group(2))));
        }
        return Duration.ofNanos(nanos.longValue());
    }

    private static BigDecimal nanosOf(String unit) {
        return BigDecimal.valueOf(
                switch (unit) {
                    case "ms" -> 1_000_000L;
                    case "s" -> 1_000_000_000L;
                    case "m" -> 60_000_000_000L;
                    default -> 3_600_000_000_000L;
                });
    }
}
