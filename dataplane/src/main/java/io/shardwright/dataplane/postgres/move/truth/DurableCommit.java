package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.postgresql.replication.LogSequenceNumber;

/**
 * A commit that something elsewhere relies on: nothing may be done on the other side before a failover of this one would
 * keep it. The answer must come without a warning (a cancelled wait for a synchronous standby is only a warning), and
 * where the server has standbys, or several instances are declared, one read must show a standby that has flushed the commit. Not shown is not confirmed;
 * nothing polls.
 */
public final class DurableCommit {
    private DurableCommit() {}

    /** Call it first in a transaction whose session may have another setting. */
    public static void demand(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL synchronous_commit = on");
        }
    }

    /** The opposite: what the transaction leaves may be lost. */
    static void renounce(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL synchronous_commit = local");
        }
    }

    static void commit(Connection connection, Side side, String doing) throws SQLException, MoverFault {
        demand(connection);
        answered(connection, side.shard(), doing);
        if (!side.acceptsAsyncStandby()) {
            confirmed(connection, side, doing);
        }
    }

    /** Commits; the answer must carry no warning. */
    public static void answered(Connection connection, String shard, String doing) throws SQLException, MoverFault {
        connection.clearWarnings();
        connection.commit();
        unwarned(connection.getWarnings(), shard, doing);
    }

    /** @param warning that came with the answer to a commit; null = none */
    public static void unwarned(SQLWarning warning, String shard, String doing) throws MoverFault {
        if (warning != null) {
            throw unconfirmed(shard, doing, warning.getMessage());
        }
    }

    /**
     * After an answered commit whose position nobody knows: another commit, which a standby can only have with the first,
     * and a read. Without standbys only the read.
     */
    public static void confirmed(Connection connection, Side side, String doing) throws SQLException, MoverFault {
        if (side.standbys(connection).matter()) {
            LogSequenceNumber behind = confirmingCommit(connection, side.shard(), doing);
            require(side.standbys(connection), behind, side.shard(), doing);
        }
        connection.rollback();
    }

    private static LogSequenceNumber confirmingCommit(Connection connection, String shard, String doing)
            throws SQLException, MoverFault {
        demand(connection);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text,"
                        + " pg_logical_emit_message(true, 'shardwright.confirm', '')")) {
            row.next();
            LogSequenceNumber behind = LogSequenceNumber.valueOf(row.getString(1));
            answered(connection, shard, doing);
            return behind;
        }
    }

    /** @param position behind the commit */
    public static void require(Standbys standbys, LogSequenceNumber position, String shard, String doing)
            throws MoverFault {
        if (!standbys.keep(position)) {
            throw unconfirmed(shard, doing, standbys.shortfall());
        }
    }

    private static MoverFault unconfirmed(String shard, String doing, String seen) {
        return MoverFault.blocked(
                "shard " + shard + ": " + doing + ": the commit is not confirmed: " + seen,
                "check the standbys of " + shard + " (or set asyncStandby: Accept); it is repeated until one confirms");
    }
}
