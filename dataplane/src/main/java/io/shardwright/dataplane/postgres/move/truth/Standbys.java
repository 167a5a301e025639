package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.postgresql.replication.LogSequenceNumber;

/**
 * What one read of a server showed about the servers that could take its place.
 *
 * @param replicated there must be some, whether they are seen or not
 * @param flushed the furthest of them
 */
public record Standbys(int count, LogSequenceNumber flushed, boolean replicated) {
    /** Where nobody asked, because an asynchronous standby is accepted. */
    public static final Standbys ACCEPTED = new Standbys(0, LogSequenceNumber.INVALID_LSN, false);

    /** Rows {@code r} of pg_stat_replication that are standbys: neither a base backup nor a logical stream. */
    public static final String ARE_STANDBYS = """
        r.state IN ('catchup', 'streaming') AND NOT EXISTS (
          SELECT FROM pg_replication_slots s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')\
        """;

    public static final String QUERY =
            "SELECT count(*), COALESCE(max(r.flush_lsn), '0/0')::text FROM pg_stat_replication r WHERE " + ARE_STANDBYS;

    public static Standbys read(Connection connection, boolean replicated) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(QUERY);
                ResultSet row = statement.executeQuery()) {
            return of(row, replicated);
        }
    }

    /** @param row of {@link #QUERY} */
    public static Standbys of(ResultSet row, boolean replicated) throws SQLException {
        row.next();
        return new Standbys(row.getInt(1), LogSequenceNumber.valueOf(row.getString(2)), replicated);
    }

    /** A commit has to be confirmed by one of them; without any there is nobody to fail over to. */
    public boolean matter() {
        return count > 0 || replicated;
    }

    /** A failover would keep what was committed up to here. */
    public boolean keep(LogSequenceNumber position) {
        return !matter() || (count > 0 && flushed.asLong() >= position.asLong());
    }

    /** Why they do not keep a commit. */
    String shortfall() {
        return count == 0 ? "no standby is connected" : "none of " + count + " standbys has flushed it yet";
    }
}
