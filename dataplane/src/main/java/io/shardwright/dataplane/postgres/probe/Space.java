package io.shardwright.dataplane.postgres.probe;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What a database takes of the capacity that is declared for its shard.
 *
 * @param bytes of the database
 * @param reserve what the log may need beside it
 */
public record Space(long bytes, long reserve) {
    private static final String QUERY =
            "SELECT pg_database_size(current_database()), pg_size_bytes(current_setting('max_wal_size'))";

    public static Space read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUERY)) {
            row.next();
            return new Space(row.getLong(1), row.getLong(2));
        }
    }

    /** A size for people, rounded up. */
    public static String text(long size) {
        return Math.ceilDiv(size, 1L << 20) + " MiB";
    }
}
