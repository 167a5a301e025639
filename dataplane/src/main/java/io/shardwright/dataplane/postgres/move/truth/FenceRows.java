package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** Reading and compare-and-swap of fence rows; every change names the state that it leaves. */
public final class FenceRows {
    private static final String BUCKET = "b:";

    private FenceRows() {}

    public static SortedMap<Integer, FenceRow> read(Connection connection, Collection<Integer> buckets)
            throws SQLException {
        return read(connection, buckets, "");
    }

    /** Locks the rows so that nobody changes them before this transaction ends. */
    public static SortedMap<Integer, FenceRow> readForShare(Connection connection, Collection<Integer> buckets)
            throws SQLException {
        return read(connection, buckets, " ORDER BY bucket FOR SHARE");
    }

    private static SortedMap<Integer, FenceRow> read(Connection connection, Collection<Integer> buckets, String suffix)
            throws SQLException {
        SortedMap<Integer, FenceRow> rows = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT bucket, state, epoch, owner, move_id FROM shardwright.fence WHERE scope = ANY (?)" + suffix)) {
            statement.setArray(1, scopes(connection, buckets));
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    FenceRow row = new FenceRow(
                            found.getInt(1),
                            FenceState.valueOf(found.getString(2)),
                            found.getLong(3),
                            found.getString(4),
                            found.getObject(5, UUID.class));
                    rows.put(row.bucket(), row);
                }
            }
        }
        return rows;
    }

    public static java.sql.Array scopes(Connection connection, Collection<Integer> buckets) throws SQLException {
        return connection.createArrayOf(
                "text", buckets.stream().map(FenceRows::scope).toArray());
    }

    public static String scope(int bucket) {
        return BUCKET + bucket;
    }

    /** The others are keys. */
    public static boolean isBucket(String scope) {
        return scope.startsWith(BUCKET);
    }

    /** Absent to IMPORTING; false when a row has appeared meanwhile. */
    public static boolean insertImporting(Connection connection, int bucket, UUID move, long epoch)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, move_id)"
                        + " VALUES (?, ?, 'IMPORTING', ?, NULL, ?) ON CONFLICT (scope) DO NOTHING")) {
            statement.setString(1, scope(bucket));
            statement.setInt(2, bucket);
            statement.setLong(3, epoch);
            statement.setObject(4, move);
            return statement.executeUpdate() == 1;
        }
    }

    /** One row from exactly the state seen to another; false when it is not in that state any more. */
    public static boolean swap(Connection connection, FenceRow seen, FenceRow next) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE shardwright.fence SET state = ?, epoch = ?, owner = ?, move_id = ?"
                        + " WHERE scope = ? AND state = ? AND epoch = ? AND move_id IS NOT DISTINCT FROM ?")) {
            statement.setString(1, next.state().name());
            statement.setLong(2, next.epoch());
            statement.setString(3, next.owner());
            statement.setObject(4, next.moveId());
            statement.setString(5, scope(seen.bucket()));
            statement.setString(6, seen.state().name());
            statement.setLong(7, seen.epoch());
            statement.setObject(8, seen.moveId(), java.sql.Types.OTHER);
            return statement.executeUpdate() == 1;
        }
    }

    /** Writes the tombstones of a move as they are: whoever can do that could take them back. */
    public static void rewrite(Connection connection, Collection<Integer> buckets, UUID move) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE shardwright.fence SET state = state"
                + " WHERE scope = ANY (?) AND state = 'MOVED' AND move_id = ?")) {
            statement.setArray(1, scopes(connection, buckets));
            statement.setObject(2, move);
            statement.executeUpdate();
        }
    }

    /** Nothing to ABORTED, for a target that lost its IMPORTING row. */
    public static boolean insertAborted(Connection connection, int bucket, UUID move, long epoch) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, move_id)"
                        + " VALUES (?, ?, 'ABORTED', ?, NULL, ?) ON CONFLICT (scope) DO NOTHING")) {
            statement.setString(1, scope(bucket));
            statement.setInt(2, bucket);
            statement.setLong(3, epoch);
            statement.setObject(4, move);
            return statement.executeUpdate() == 1;
        }
    }
}
