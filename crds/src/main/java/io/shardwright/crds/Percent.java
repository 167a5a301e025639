package io.shardwright.crds;

import java.math.BigDecimal;

/** Shares as specs write them: {@code 10%}, {@code 2.5%}. */
public final class Percent {
    /** Schema pattern of every percentage, 0 to 100. */
    public static final String PATTERN = "^(100(\\.0+)?|[0-9]{1,2}(\\.[0-9]{1,3})?)%$";

    private Percent() {}

    /** The share between 0 and 1. @throws IllegalArgumentException when the text is no percentage */
    public static double parse(String text) {
        if (!text.matches(PATTERN)) {
            throw new IllegalArgumentException("a share is written like 10%, not '" + text + "'");
        }
        return new BigDecimal(text.substring(0, text.length() - 1))
                .movePointLeft(2)
                .doubleValue();
    }
}
