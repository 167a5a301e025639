package io.shardwright.routing.json;

import java.util.regex.Pattern;

/** The grammar of JSON numbers; documents of the contract use integers below 2^53 only. */
final class JsonNumber {
    /** Largest integer that every language's JSON library keeps exactly. */
    static final long MAX_WHOLE = (1L << 53) - 1;

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]+");

    private JsonNumber() {}

    static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    static boolean isWhole(String text) {
        return WHOLE.matcher(text).matches();
    }
}
