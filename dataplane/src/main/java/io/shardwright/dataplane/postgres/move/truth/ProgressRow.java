package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.postgresql.replication.LogSequenceNumber;

/**
 * The row of {@code move_progress} on the target: whose move it is, and how far it has been applied. A reversal has a row of
 * its own, on its own target.
 *
 * @param token the mover that may go on
 * @param position end position in the source's log of what has been applied; null while there is nothing to resume
 * @param copied the target has all rows up to the position
 * @param servers identity and timeline of both servers when the slot was made, "source>target"; null before
 * @param difference why the target is known not to have what the source has, and nothing may be resumed; null while it is not
 */
public record ProgressRow(String token, LogSequenceNumber position, boolean copied, String servers, String difference) {
    private static final String COLUMNS = "token, position::text, COALESCE((cursor->>'copied')::boolean, false),"
            + " cursor->>'servers', cursor->>'difference'";
    private static final String KEY = " WHERE move_id = ? AND direction = ?";

    /** @return empty when nobody has claimed the move, or it has nothing left to do */
    public static Optional<ProgressRow> read(Connection connection, Incarnation mover) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT " + COLUMNS + " FROM shardwright.move_progress" + KEY)) {
            bindKey(statement, 1, mover);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(of(row)) : Optional.empty();
            }
        }
    }

    /** Whether any mover of a move has a row here. */
    public static boolean exists(Connection connection, UUID move) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT EXISTS (SELECT FROM shardwright.move_progress WHERE move_id = ?)")) {
            statement.setObject(1, move);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /** Takes the row over; position and cursor stay, so that the caller may resume when the truth allows it. */
    static ProgressRow claim(Connection connection, Incarnation mover) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.move_progress AS p (move_id, direction, token) VALUES (?, ?, ?)"
                        + " ON CONFLICT (move_id, direction) DO UPDATE SET token = excluded.token RETURNING "
                        + COLUMNS)) {
            bindKey(statement, 1, mover);
            statement.setString(3, mover.token());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return of(row);
            }
        }
    }

    private static ProgressRow of(ResultSet row) throws SQLException {
        String position = row.getString(2);
        return new ProgressRow(
                row.getString(1),
                position == null ? null : LogSequenceNumber.valueOf(position),
                row.getBoolean(3),
                row.getString(4),
                row.getString(5));
    }

    private static void bindKey(PreparedStatement statement, int from, Incarnation mover) throws SQLException {
        statement.setObject(from, mover.moveId());
        statement.setString(from + 1, mover.direction());
    }

    /** Locks the row; a mover whose token is not in it is a zombie. */
    public static void lock(Connection connection, Incarnation mover) throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT FROM shardwright.move_progress" + KEY + " AND token = ? FOR UPDATE")) {
            bindKey(statement, 1, mover);
            statement.setString(3, mover.token());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw MoverFault.superseded();
                }
            }
        }
    }

    /**
     * As {@link #lock}, and the row is the first thing that the transaction changes: so the stream of the other direction
     * knows the rows that follow as a mover's, and drops them. No application can write here.
     */
    public static void sign(Connection connection, Incarnation mover) throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE shardwright.move_progress SET token = token" + KEY + " AND token = ?")) {
            bindKey(statement, 1, mover);
            statement.setString(3, mover.token());
            if (statement.executeUpdate() != 1) {
                throw MoverFault.superseded();
            }
        }
    }

    /** From here on nothing can be resumed, so nobody takes half a copy, or a wrong one, for a whole one. */
    public static void forgetPosition(Connection connection, Incarnation mover) throws SQLException, MoverFault {
        write(connection, mover, null, false, null);
    }

    /** As {@link #forgetPosition}, and whoever comes next knows why. */
    public static void distrust(Connection connection, Incarnation mover, String difference)
            throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE shardwright.move_progress SET position = NULL, cursor = jsonb_build_object('difference', ?::text)"
                        + KEY + " AND token = ?")) {
            statement.setString(1, difference);
            bindKey(statement, 2, mover);
            statement.setString(4, mover.token());
            if (statement.executeUpdate() != 1) {
                throw MoverFault.superseded();
            }
        }
    }

    public static void write(
            Connection connection, Incarnation mover, LogSequenceNumber position, boolean copied, String servers)
            throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE shardwright.move_progress SET position = ?::pg_lsn, cursor = CASE WHEN ?::text IS NULL THEN"
                        + " NULL ELSE jsonb_build_object('copied', ?::boolean, 'servers', ?::text) END" + KEY
                        + " AND token = ?")) {
            statement.setString(1, position == null ? null : position.asString());
            statement.setString(2, servers);
            statement.setBoolean(3, copied);
            statement.setString(4, servers);
            bindKey(statement, 5, mover);
            statement.setString(7, mover.token());
            if (statement.executeUpdate() != 1) {
                throw MoverFault.superseded();
            }
        }
    }

    static void delete(Connection connection, Incarnation mover) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("DELETE FROM shardwright.move_progress" + KEY + " AND token = ?")) {
            bindKey(statement, 1, mover);
            statement.setString(3, mover.token());
            statement.executeUpdate();
        }
    }
}
