package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** Everything that one move has written down in one database, whichever end of it this is, for those who end it for good. */
public final class TraceRows {
    /** In the order in which a mover locks them. */
    private static final List<String> TOKENED = List.of("move_progress", "claim", "cleanup_record");

    private TraceRows() {}

    /** @return the tokens on them */
    public static Set<String> lock(Connection connection, UUID move) throws SQLException {
        Set<String> tokens = new TreeSet<>();
        for (String table : TOKENED) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT token FROM shardwright." + table + " WHERE move_id = ? FOR UPDATE")) {
                statement.setObject(1, move);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        tokens.add(row.getString(1));
                    }
                }
            }
        }
        return tokens;
    }

    public static void replaceToken(Connection connection, UUID move, String token) throws SQLException {
        for (String table : TOKENED) {
            try (PreparedStatement statement =
                    connection.prepareStatement("UPDATE shardwright." + table + " SET token = ? WHERE move_id = ?")) {
                statement.setString(1, token);
                statement.setObject(2, move);
                statement.executeUpdate();
            }
        }
    }

    /** The progress row with which a mover signs the transactions that change rows; a target that lost it gets one. */
    public static void signable(Connection connection, Incarnation mover) throws SQLException {
        ProgressRow.claim(connection, mover);
    }

    /** All but records of the rows of other buckets. */
    public static void remove(Connection connection, UUID move, Collection<Scope> scopes) throws SQLException {
        try (PreparedStatement records = connection.prepareStatement("DELETE FROM shardwright.cleanup_record"
                + " WHERE move_id = ? AND (kind = 'slot' OR kind = 'rows' AND name = ANY (?))")) {
            records.setObject(1, move);
            records.setArray(2, FenceRows.scopes(connection, scopes));
            records.executeUpdate();
        }
        for (String table : List.of("heartbeat", "claim", "move_progress")) {
            try (PreparedStatement rest =
                    connection.prepareStatement("DELETE FROM shardwright." + table + " WHERE move_id = ?")) {
                rest.setObject(1, move);
                rest.executeUpdate();
            }
        }
    }
}
