package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
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
        record(connection, move, token, SLOT, slot, "NULL");
    }

    /** Keeps the fence row as it is now; a record that exists already keeps what it knew. */
    public static void recordRows(Connection connection, UUID move, String token, Collection<Integer> buckets)
            throws SQLException {
        for (int bucket : buckets) {
            record(
                    connection,
                    move,
                    token,
                    ROWS,
                    FenceRows.scope(bucket),
                    "(SELECT to_jsonb(f) FROM shardwright.fence f WHERE scope = '" + FenceRows.scope(bucket) + "')");
        }
    }

    /**
     * This shard was the older of two owners of the bucket, and the rows that it took meanwhile are nowhere else. Keeps its
     * fence row; only a person removes it.
     */
    public static void recordDemoted(Connection connection, UUID move, String token, int bucket) throws SQLException {
        String scope = FenceRows.scope(bucket);
        record(
                connection,
                move,
                token,
                DEMOTED,
                scope,
                "(SELECT to_jsonb(f) FROM shardwright.fence f WHERE scope = '" + scope + "')");
    }

    /** Buckets, of any move, whose rows here nobody has looked at since this shard was demoted. */
    public static SortedSet<Integer> demoted(Connection connection, Collection<Integer> buckets) throws SQLException {
        SortedSet<Integer> demoted = new TreeSet<>();
        try (PreparedStatement statement = connection.prepareStatement("SELECT substr(name, 3)::int"
                + " FROM shardwright.cleanup_record WHERE kind = '" + DEMOTED + "' AND name = ANY (?)")) {
            statement.setArray(1, FenceRows.scopes(connection, buckets));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    demoted.add(rows.getInt(1));
                }
            }
        }
        return demoted;
    }

    private static void record(Connection connection, UUID move, String token, String kind, String name, String prior)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.cleanup_record (move_id, kind, name, token, prior_state) VALUES (?, ?, ?, ?, "
                        + prior + ") ON CONFLICT (move_id, kind, name) DO UPDATE SET token = excluded.token")) {
            statement.setObject(1, move);
            statement.setString(2, kind);
            statement.setString(3, name);
            statement.setString(4, token);
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
    public static SortedSet<Integer> lockRows(
            Connection connection, UUID move, String token, Collection<Integer> buckets) throws SQLException {
        SortedSet<Integer> locked = new TreeSet<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT substr(name, 3)::int FROM shardwright.cleanup_record WHERE move_id = ? AND kind = 'rows'"
                        + " AND name = ANY (?) AND token = ? ORDER BY name FOR UPDATE")) {
            statement.setObject(1, move);
            statement.setArray(2, FenceRows.scopes(connection, buckets));
            statement.setString(3, token);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked.add(rows.getInt(1));
                }
            }
        }
        return locked;
    }

    /** Moves, this one apart, that have still to delete rows of a bucket here. */
    public static SortedMap<Integer, UUID> rowsOfOthers(Connection connection, UUID move, Collection<Integer> buckets)
            throws SQLException {
        SortedMap<Integer, UUID> others = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT substr(name, 3)::int, move_id FROM shardwright.cleanup_record WHERE move_id <> ?"
                        + " AND kind = 'rows' AND name = ANY (?)")) {
            statement.setObject(1, move);
            statement.setArray(2, FenceRows.scopes(connection, buckets));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    others.put(rows.getInt(1), rows.getObject(2, UUID.class));
                }
            }
        }
        return others;
    }

    public static void removeRows(Connection connection, UUID move, String token, Collection<Integer> buckets)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "DELETE FROM shardwright.cleanup_record WHERE move_id = ? AND token = ? AND kind = 'rows'"
                        + " AND name = ANY (?)")) {
            statement.setObject(1, move);
            statement.setString(2, token);
            statement.setArray(3, FenceRows.scopes(connection, buckets));
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
