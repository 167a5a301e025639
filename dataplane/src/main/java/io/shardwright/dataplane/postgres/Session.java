package io.shardwright.dataplane.postgres;

import java.time.Duration;

/**
 * How long a session may take, and the name by which people and the watchdog find it in {@code pg_stat_activity}.
 *
 * @param socket longest silence of the server; zero = none (the keepalive of TCP remains)
 * @param statement {@code statement_timeout}; zero = none
 * @param lock {@code lock_timeout}; zero = none
 */
public record Session(String applicationName, Duration connect, Duration socket, Duration statement, Duration lock) {
    /** Ends within seconds, whatever the server does. */
    public static Session probe(String applicationName) {
        return new Session(applicationName, seconds(3), seconds(10), seconds(5), seconds(2));
    }

    /** Has no timeout but that of connecting: for scans, copies and streams, whose caller watches them. */
    public static Session unhurried(String applicationName) {
        return new Session(applicationName, seconds(3), Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    /** The same, but no silence of the server is longer than this. */
    Session answeringWithin(Duration limit) {
        boolean shorter = !socket.isZero() && socket.compareTo(limit) < 0;
        return new Session(applicationName, connect, shorter ? socket : limit, statement, lock);
    }

    private static Duration seconds(int count) {
        return Duration.ofSeconds(count);
    }
}
