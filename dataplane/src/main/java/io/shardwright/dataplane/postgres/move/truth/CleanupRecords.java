package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What a move will leave behind on one server, written before it is made and removed after it is gone; and whose rows nobody
 * may delete before a person has looked.
 */
public final class CleanupRecords {
    private static final String SLOT = "slot";
    private static final String ROWS = "rows";
    private static final String DEMOTED = "demoted";

    private CleanupRecords() {}

    public static void recordSlot(Connection connection, UUID move, String token, String slot) throws SQLException {
        record(connection, move, token, SLOT, slot);
    }

    /** Keeps the fence row as it is now; a record that exists already keeps what it knew. */
    public static void recordRows(Connection connection, UUID move, String token, Collection<Scope> scopes)
            throws SQLException {
        for (Scope scope : scopes) {
            record(connection, move, token, ROWS, scope.name());
        }
    }

    /**
     * This shard was the older of two owners of the bucket, and the rows that it took meanwhile are nowhere else. Keeps its
     * fence row; only a person removes it.
     */
    public static void recordDemoted(Connection connection, UUID move, String token, Scope scope) throws SQLException {
        record(connection, move, token, DEMOTED, scope.name());
    }

    /** Buckets, of any move, whose rows here nobody has looked at since this shard was demoted. */
    public static SortedSet<Scope> demoted(Connection connection, Collection<Scope> scopes) throws SQLException {
        Map<String, Scope> wanted = FenceRows.byName(scopes);
        SortedSet<Scope> demoted = new TreeSet<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT name FROM shardwright.cleanup_record WHERE kind = '" + DEMOTED + "' AND name = ANY (?)")) {
            statement.setArray(1, FenceRows.scopes(connection, scopes));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    demoted.add(wanted.get(rows.getString(1)));
                }
            }
        }
        return demoted;
    }

    /** Of a scope with its fence row as it is now. */
    private static void record(Connection connection, UUID move, String token, String kind, String name)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.cleanup_record (move_id, kind, name, token, prior_state) VALUES (?, ?, ?, ?,"
                        + " (SELECT to_jsonb(f) FROM shardwright.fence f WHERE scope = ?))"
                        + " ON CONFLICT (move_id, kind, name) DO UPDATE SET token = excluded.token")) {
            statement.setObject(1, move);
            statement.setString(2, kind);
            statement.setString(3, name);
            statement.setString(4, token);
            statement.setString(5, name);
            statement.executeUpdate();
        }
    }

    /** All records of the move belong to this mover from now on; a batch of an older one finds none. */
    static void claim(Connection connection, UUID move, String token) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE shardwright.cleanup_record SET token = ? WHERE move_id = ?")) {
            statement.setString(1, token);
            statement.setObject(2, move);
            statement.executeUpdate();
        }
    }

    /** Locks the records of the buckets' rows. @return buckets that have one with this token */
    public static SortedSet<Scope> lockRows(Connection connection, UUID move, String token, Collection<Scope> scopes)
            throws SQLException {
        Map<String, Scope> wanted = FenceRows.byName(scopes);
        SortedSet<Scope> locked = new TreeSet<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT name FROM shardwright.cleanup_record WHERE move_id = ? AND kind = 'rows'"
                        + " AND name = ANY (?) AND token = ? ORDER BY name FOR UPDATE")) {
            statement.setObject(1, move);
            statement.setArray(2, FenceRows.scopes(connection, scopes));
            statement.setString(3, token);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked.add(wanted.get(rows.getString(1)));
                }
            }
        }
        return locked;
    }

    /** Moves, this one apart, that have still to delete rows of a bucket here. */
    public static SortedMap<Scope, UUID> rowsOfOthers(Connection connection, UUID move, Collection<Scope> scopes)
            throws SQLException {
        Map<String, Scope> wanted = FenceRows.byName(scopes);
        SortedMap<Scope, UUID> others = new TreeMap<>();
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT name, move_id FROM shardwright.cleanup_record WHERE move_id <> ?"
                        + " AND kind = 'rows' AND name = ANY (?)")) {
            statement.setObject(1, move);
            statement.setArray(2, FenceRows.scopes(connection, scopes));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    others.put(wanted.get(rows.getString(1)), rows.getObject(2, UUID.class));
                }
            }
        }
        return others;
    }

    public static void removeRows(Connection connection, UUID move, String token, Collection<Scope> scopes)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "DELETE FROM shardwright.cleanup_record WHERE move_id = ? AND token = ? AND kind = 'rows'"
                        + " AND name = ANY (?)")) {
            statement.setObject(1, move);
            statement.setString(2, token);
            statement.setArray(3, FenceRows.scopes(connection, scopes));
            statement.executeUpdate();
        }
    }

    public static void removeSlot(Connection connection, UUID move, String token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "DELETE FROM shardwright.cleanup_record WHERE move_id = ? AND token = ? AND kind = 'slot'")) {
            statement.setObject(1, move);
            statement.setString(2, token);
            statement.executeUpdate();
        }
    }

    /** @return whether the move has any record left here */
    public static boolean any(Connection connection, UUID move) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT EXISTS (SELECT FROM shardwright.cleanup_record WHERE move_id = ?)")) {
            statement.setObject(1, move);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }
}
