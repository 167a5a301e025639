package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** The claim on the source: only the mover whose token stands here may fence. */
public final class SourceClaim {
    private SourceClaim() {}

    /** From the commit on, an older mover of the move fences nothing. */
    public static void take(Connection connection, UUID move, String token) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO shardwright.claim (move_id, token) VALUES (?, ?)"
                        + " ON CONFLICT (move_id) DO UPDATE SET token = excluded.token")) {
            statement.setObject(1, move);
            statement.setString(2, token);
            statement.executeUpdate();
        }
    }

    /** Keeps a successor's claim out until the end of the transaction; a mover whose token is not there is a zombie. */
    public static void lock(Connection connection, UUID move, String token) throws SQLException, MoverFault {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT FROM shardwright.claim WHERE move_id = ? AND token = ? FOR SHARE")) {
            statement.setObject(1, move);
            statement.setString(2, token);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw MoverFault.superseded();
                }
            }
        }
    }

    /** Together with the heartbeats of the move, which are of no use to anybody else. */
    static void delete(Connection connection, UUID move, String token) throws SQLException {
        try (PreparedStatement claim =
                        connection.prepareStatement("DELETE FROM shardwright.claim WHERE move_id = ? AND token = ?");
                PreparedStatement beats =
                        connection.prepareStatement("DELETE FROM shardwright.heartbeat WHERE move_id = ?")) {
            claim.setObject(1, move);
            claim.setString(2, token);
            claim.executeUpdate();
            beats.setObject(1, move);
            beats.executeUpdate();
        }
    }
}
