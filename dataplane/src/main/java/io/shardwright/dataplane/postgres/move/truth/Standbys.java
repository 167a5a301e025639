package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.postgresql.PGStatement;
import org.postgresql.replication.LogSequenceNumber;

/**
 * What one read of a server showed about the servers that could take its place. None means that there is nobody to fail
 * over to.
 *
 * @param flushed the furthest of them
 */
public record Standbys(int count, LogSequenceNumber flushed) {
    private static final String QUERY = """
        SELECT count(*), COALESCE(max(r.flush_lsn), '0/0')::text FROM pg_stat_replication r
        WHERE r.state IN ('catchup', 'streaming') AND NOT EXISTS (
          SELECT FROM pg_replication_slots s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')\
        """;

    /** A statement for {@link #read(PreparedStatement)}, made and planned before anybody is in a hurry. */
    public static PreparedStatement prepare(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(QUERY);
        statement.unwrap(PGStatement.class).setPrepareThreshold(1);
        read(statement);
        return statement;
    }

    public static Standbys read(PreparedStatement prepared) throws SQLException {
        try (ResultSet row = prepared.executeQuery()) {
            row.next();
            return new Standbys(row.getInt(1), LogSequenceNumber.valueOf(row.getString(2)));
        }
    }

    public static Standbys read(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(QUERY)) {
            return read(statement);
        }
    }

    /** A failover would keep what was committed up to here. */
    public boolean keep(LogSequenceNumber position) {
        return count == 0 || flushed.asLong() >= position.asLong();
    }
}
