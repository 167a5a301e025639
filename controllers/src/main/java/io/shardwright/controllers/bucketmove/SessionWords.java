package io.shardwright.controllers.bucketmove;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Sessions in the words of a mover, "pid 4711 user app 'orders-web' 31 s", without their age: a name that changes every
 * second would be a new blocker, and a status write, every second. Since when it is waited for says the blocker.
 */
final class SessionWords {
    private static final Pattern SESSION = Pattern.compile("(pid \\d+ user [^']*'[^']*') [0-9.]+ s");

    private SessionWords() {}

    static String withoutAges(String text) {
        return SESSION.matcher(text).replaceAll("$1");
    }

    static List<String> withoutAges(List<String> sessions) {
        return sessions.stream().map(SessionWords::withoutAges).toList();
    }

    /** Those that a text names: a mover tells why a gate is shut as text only. */
    static List<String> in(String text) {
        return SESSION.matcher(text).results().map(found -> found.group(1)).toList();
    }
}
