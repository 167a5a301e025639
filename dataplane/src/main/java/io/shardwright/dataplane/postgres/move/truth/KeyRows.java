package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** Fence rows of keys, and the count of them that the row of a bucket keeps: a writer with an old snapshot sees it change. */
public final class KeyRows {
    /** By the order of the primary key, which is that of bytes. */
    private static final String SELECT = "SELECT scope, bucket, state, epoch, owner, move_id FROM shardwright.fence"
            + " WHERE scope >= 'k:' AND scope < 'k;'";

    /** What {@code overrides} of the row {@code f} has to be. */
    public static final String COUNT =
            "CASE WHEN f.scope = 'b:' || f.bucket THEN " + SqlText.keyRowsOf("f.bucket") + " ELSE 0 END";

    private KeyRows() {}

    public static SortedMap<Scope, FenceRow> ofBuckets(Connection connection, Collection<Integer> buckets)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SELECT + " AND bucket = ANY (?)")) {
            statement.setArray(1, connection.createArrayOf("int4", buckets.toArray()));
            return read(statement);
        }
    }

    private static SortedMap<Scope, FenceRow> read(PreparedStatement statement) throws SQLException {
        SortedMap<Scope, FenceRow> rows = new TreeMap<>();
        try (ResultSet found = statement.executeQuery()) {
            while (found.next()) {
                FenceRow row = new FenceRow(
                        Scope.named(found.getString(1), found.getInt(2)).hidden(), // nobody has named it here
                        FenceState.valueOf(found.getString(3)),
                        found.getLong(4),
                        found.getString(5),
                        found.getObject(6, UUID.class));
                rows.put(row.scope(), row);
            }
        }
        return rows;
    }

    /** A key gets a row of its own. @return false when it has one */
    public static boolean insert(Connection connection, FenceRow row) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, move_id)"
                        + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope) DO NOTHING")) {
            statement.setString(1, row.scope().name());
            statement.setInt(2, row.bucket());
            statement.setString(3, row.state().name());
            statement.setLong(4, row.epoch());
            statement.setString(5, row.owner());
            statement.setObject(6, row.moveId(), java.sql.Types.OTHER);
            return statement.executeUpdate() == 1;
        }
    }

    /** Locks exactly this row until the end of the transaction. @return false when it is another by now */
    public static boolean lock(Connection connection, FenceRow seen) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT FROM shardwright.fence WHERE scope = ?"
                + " AND state = ? AND epoch = ? AND move_id IS NOT DISTINCT FROM ? FOR UPDATE")) {
            statement.setString(1, seen.scope().name());
            statement.setString(2, seen.state().name());
            statement.setLong(3, seen.epoch());
            statement.setObject(4, seen.moveId(), java.sql.Types.OTHER);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Of rows that the caller has locked. */
    public static void drop(Connection connection, Collection<Scope> keys) throws SQLException {
        if (keys.isEmpty()) {
            return; // the function came with version 3 of the fence, and buckets move on older ones, too
        }
        try (PreparedStatement statement = connection.prepareStatement("SELECT shardwright.drop_key_rows(?)")) {
            Array names = FenceRows.scopes(connection, keys);
            statement.setArray(1, names);
            statement.execute();
        }
    }

    /** Counted anew, never added to: who does it twice has done it once. */
    public static void recount(Connection connection, Collection<Integer> buckets) throws SQLException {
        recount(connection, buckets, 0);
    }

    /** @param epoch the rows of the buckets have at least this one from now on */
    public static void recount(Connection connection, Collection<Integer> buckets, long epoch) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE shardwright.fence f SET overrides = "
                + COUNT + ", epoch = greatest(f.epoch, ?) WHERE scope = ANY (?)")) {
            statement.setLong(1, epoch);
            statement.setArray(2, FenceRows.scopes(connection, Scope.buckets(buckets)));
            statement.executeUpdate();
        }
    }
}
