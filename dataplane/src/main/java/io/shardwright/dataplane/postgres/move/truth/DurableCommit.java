package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/**
 * A commit that something elsewhere relies on: nothing may be done on the other side before a failover of this one would
 * keep it. The answer must come without a warning (a cancelled wait for a synchronous standby is only a warning), and
 * where the server has standbys, one read must show a standby that has flushed the commit. Not shown is not confirmed;
 * nothing polls.
 */
public final class DurableCommit {
    private static final String STANDBYS = """
            SELECT count(*), count(*) FILTER (WHERE r.flush_lsn >= COALESCE(?::pg_lsn, pg_current_wal_insert_lsn()))
            FROM pg_stat_replication r WHERE r.state IN ('catchup', 'streaming') AND NOT EXISTS (
              SELECT FROM pg_replication_slots s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')""";

    private DurableCommit() {}

    /** Call it first in a transaction whose session may have another setting. */
    public static void demand(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL synchronous_commit = on");
        }
    }

    static void commit(Connection connection, String shard, String doing, boolean acceptAsyncStandby)
            throws SQLException, MoverFault {
        demand(connection);
        answered(connection, shard, doing);
        connection.setAutoCommit(true);
        if (!acceptAsyncStandby) {
            confirmed(connection, shard, doing, null);
        }
    }

    /** Commits; the answer must carry no warning. */
    public static void answered(Connection connection, String shard, String doing) throws SQLException, MoverFault {
        connection.clearWarnings();
        connection.commit();
        SQLWarning warning = connection.getWarnings();
        if (warning != null) {
            throw unconfirmed(shard, doing, warning.getMessage());
        }
    }

    /** @param position of the commit; null = everything up to now */
    public static void confirmed(Connection connection, String shard, String doing, String position)
            throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(STANDBYS)) {
            statement.setString(1, position);
            try (ResultSet standbys = statement.executeQuery()) {
                standbys.next();
                if (standbys.getInt(1) > 0 && standbys.getInt(2) == 0) {
                    throw unconfirmed(shard, doing, "none of " + standbys.getInt(1) + " standbys has flushed it yet");
                }
            }
        }
    }

    private static MoverFault unconfirmed(String shard, String doing, String seen) {
        return MoverFault.blocked(
                "shard " + shard + ": " + doing + ": the commit is not confirmed: " + seen,
                "check the standbys of " + shard + "; it is repeated until one confirms");
    }
}
