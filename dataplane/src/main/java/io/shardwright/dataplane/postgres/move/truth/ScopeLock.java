package io.shardwright.dataplane.postgres.move.truth;

import java.sql.SQLException;

/** The advisory locks by which writers and movers meet; the fence's functions take the same ones. */
public final class ScopeLock {
    /** Class of the locks of buckets; the object is the bucket. */
    private static final int BUCKETS = 7001;

    /** Class of the locks of keys; the object is the hash of the key, so two keys may have one lock. */
    private static final int KEYS = 7002;

    /** Of what only one mover does at a time in a database: 0 is a drain, 1 the look for moves of others, 2 the advance of sequences. */
    public static final int DRAIN = 7003;

    /** The locks of scopes, whose names are its one parameter: columns {@code class} and {@code object}. */
    static final String OF_SCOPES = "SELECT DISTINCT CASE WHEN starts_with(s, 'b:') THEN " + BUCKETS + " ELSE " + KEYS
            + " END AS class, CASE WHEN starts_with(s, 'b:') THEN substr(s, 3)::int ELSE hashtext(substr(s, 3)) END AS object"
            + " FROM unnest(?::text[]) AS s";

    /** One parameter, the names of the scopes; always ascending, so that two groups cannot wait for each other. */
    public static final String IN_TRANSACTION = take("pg_advisory_xact_lock");

    /** As {@link #IN_TRANSACTION}, held until it is given back or the session ends. */
    public static final String IN_SESSION = take("pg_advisory_lock");

    public static final String GIVE_BACK = "SELECT pg_advisory_unlock(class, object) FROM (" + OF_SCOPES + ") AS mine";

    private ScopeLock() {}

    /** A lock, or what was done behind it, was waited for as long as the session waits. */
    public static boolean timedOut(SQLException e) {
        return "57014".equals(e.getSQLState()) || "55P03".equals(e.getSQLState());
    }

    /** Each row says in seconds of the server's clock when it began to wait. */
    private static String take(String function) {
        return "SELECT extract(epoch FROM clock_timestamp())::float8, " + function + "(class, object) FROM ("
                + OF_SCOPES + " ORDER BY 1, 2) AS ascending";
    }
}
