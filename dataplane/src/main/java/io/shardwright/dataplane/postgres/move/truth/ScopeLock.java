package io.shardwright.dataplane.postgres.move.truth;

/** The advisory locks by which writers and movers meet; the fence's functions take the same ones. */
public final class ScopeLock {
    /** Class of the locks of buckets; the object is the bucket. */
    public static final int BUCKETS = 7001;

    /** One drain at a time per database. */
    public static final int DRAIN = 7003;

    /** One parameter, buckets as int[]; always ascending, so that two groups cannot wait for each other. */
    public static final String IN_TRANSACTION = take("pg_advisory_xact_lock");

    /** As {@link #IN_TRANSACTION}, held until it is given back or the session ends. */
    public static final String IN_SESSION = take("pg_advisory_lock");

    public static final String GIVE_BACK = "SELECT pg_advisory_unlock(" + BUCKETS + ", b) FROM unnest(?::int[]) AS b";

    private ScopeLock() {}

    /** Each row says in seconds of the server's clock when it began to wait. */
    private static String take(String function) {
        return "SELECT extract(epoch FROM clock_timestamp())::float8, " + function + "(" + BUCKETS + ", b)"
                + " FROM (SELECT unnest(?::int[]) AS b ORDER BY 1) AS ascending";
    }
}
