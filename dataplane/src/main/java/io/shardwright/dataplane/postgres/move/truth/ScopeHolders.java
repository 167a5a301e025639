package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Transactions that hold the shared lock of a bucket, which a drain has to wait for. */
public final class ScopeHolders {
    private static final String HOLDERS = " FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype ="
            + " 'advisory' AND l.granted AND l.objsubid = 2 AND l.mode = 'ShareLock' AND l.database ="
            + " (SELECT oid FROM pg_database WHERE datname = current_database())"
            + " AND (l.classid, l.objid) IN (SELECT class::oid, object::oid FROM (" + ScopeLock.OF_SCOPES
            + ") AS wanted)";

    private static final String DESCRIBE = "SELECT DISTINCT a.xact_start, a.pid, a.usename, a.application_name,"
            + " extract(epoch FROM clock_timestamp() - a.xact_start)::float8";

    private static final String EXCLUSIVE =
            "WITH ddl AS (SELECT pid FROM pg_locks WHERE locktype = 'relation' AND database ="
                    + " (SELECT oid FROM pg_database WHERE datname = current_database()) AND mode = 'AccessExclusiveLock'"
                    + " AND relation = ANY (SELECT to_regclass(t)::oid FROM unnest(?::text[]) AS t)),"
                    + " exclusive AS (SELECT pid FROM ddl UNION SELECT unnest(pg_blocking_pids(pid)) FROM ddl) ";

    private ScopeHolders() {}

    /** @return milliseconds since the oldest of them began, 0 when there is none */
    public static double oldestMs(Connection connection, Collection<Scope> scopes) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT COALESCE(max(extract(epoch FROM clock_timestamp() - a.xact_start)) * 1000, 0)::float8"
                        + HOLDERS)) {
            statement.setArray(1, FenceRows.scopes(connection, scopes));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return Math.max(0, row.getDouble(1));
            }
        }
    }

    /** For people: "pid 4711 user app 'orders-web' 31 s", oldest first, at most ten. */
    public static List<String> describe(Connection connection, Collection<Scope> scopes) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(DESCRIBE + HOLDERS + " ORDER BY a.xact_start LIMIT 10")) {
            statement.setArray(1, FenceRows.scopes(connection, scopes));
            return described(statement);
        }
    }

    /** In words, after writers were waited for in vain. @param named what they are in, as people know it */
    public static String stayed(Side side, Scope named, Collection<Scope> scopes, Duration limit) throws MoverFault {
        String holders =
                side.read("look who holds the bucket", connection -> String.join(", ", describe(connection, scopes)));
        return "shard " + side.shard() + ": writers did not leave " + named.words() + " within " + limit.toMillis()
                + " ms" + (holders.isEmpty() ? "" : ": " + holders);
    }

    /** As {@link #describe}, without those that began later: most of them will have ended before anybody reads of them. */
    public static List<String> olderThan(Connection connection, Collection<Scope> scopes, Duration age)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DESCRIBE + HOLDERS
                + " AND a.xact_start < clock_timestamp() - ? * interval '1 ms' ORDER BY a.xact_start LIMIT 10")) {
            statement.setArray(1, FenceRows.scopes(connection, scopes));
            statement.setLong(2, age.toMillis());
            return described(statement);
        }
    }

    /** As {@link #describe}; when no writer holds the buckets, who has or wants a table for himself, and who holds him up. */
    public static List<String> blockers(Connection connection, Collection<Scope> scopes, Collection<String> tables)
            throws SQLException {
        List<String> writers = describe(connection, scopes);
        if (!writers.isEmpty()) {
            return writers;
        }
        try (PreparedStatement statement = connection.prepareStatement(EXCLUSIVE + DESCRIBE
                + " FROM pg_stat_activity a JOIN exclusive USING (pid) ORDER BY a.xact_start LIMIT 10")) {
            statement.setArray(1, connection.createArrayOf("text", tables.toArray()));
            return described(statement);
        }
    }

    private static List<String> described(PreparedStatement statement) throws SQLException {
        List<String> holders = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                double seconds = Math.max(0, row.getDouble(5));
                String age = seconds < 10 ? "%.1f s".formatted(seconds) : "%.0f s".formatted(seconds);
                holders.add("pid %d user %s '%s' %s".formatted(row.getInt(2), row.getString(3), row.getString(4), age));
            }
        }
        return List.copyOf(holders);
    }
}
