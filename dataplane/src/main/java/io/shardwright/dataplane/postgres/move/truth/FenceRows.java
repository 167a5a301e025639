package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** Reading and compare-and-swap of fence rows; every change names the state that it leaves. */
public final class FenceRows {
    private FenceRows() {}

    public static SortedMap<Scope, FenceRow> read(Connection connection, Collection<Scope> scopes) throws SQLException {
        return read(connection, scopes, "");
    }

    /**
     * The rows that decide: a key without a row of its own is where its bucket is owned, and a bucket that is not owned here says
     * nothing of it.
     */
    public static SortedMap<Scope, FenceRow> deciding(Connection connection, Collection<Scope> scopes)
            throws SQLException {
        SortedMap<Scope, FenceRow> rows = read(connection, scopes);
        SortedSet<Scope> ofBuckets = new TreeSet<>();
        scopes.stream().filter(scope -> !rows.containsKey(scope)).forEach(scope -> ofBuckets.add(scope.ofBucket()));
        SortedMap<Scope, FenceRow> buckets = read(connection, ofBuckets);
        for (Scope scope : scopes) {
            FenceRow bucket = buckets.get(scope.ofBucket());
            if (scope.isKey() && bucket != null && bucket.state() == FenceState.OWNED) {
                rows.putIfAbsent(scope, bucket.of(scope));
            }
        }
        return rows;
    }

    /** Locks the rows so that nobody changes them before this transaction ends. */
    public static SortedMap<Scope, FenceRow> readForShare(Connection connection, Collection<Scope> scopes)
            throws SQLException {
        return read(connection, scopes, " ORDER BY bucket, scope FOR SHARE");
    }

    private static SortedMap<Scope, FenceRow> read(Connection connection, Collection<Scope> scopes, String suffix)
            throws SQLException {
        Map<String, Scope> wanted = byName(scopes);
        SortedMap<Scope, FenceRow> rows = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT scope, state, epoch, owner, move_id FROM shardwright.fence WHERE scope = ANY (?)" + suffix)) {
            statement.setArray(1, scopes(connection, scopes));
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    FenceRow row = new FenceRow(
                            wanted.get(found.getString(1)),
                            FenceState.valueOf(found.getString(2)),
                            found.getLong(3),
                            found.getString(4),
                            found.getObject(5, UUID.class));
                    rows.put(row.scope(), row);
                }
            }
        }
        return rows;
    }

    /** What is read is told in the caller's own words: they know how a key is shown. */
    public static Map<String, Scope> byName(Collection<Scope> scopes) {
        Map<String, Scope> byName = new HashMap<>();
        scopes.forEach(scope -> byName.put(scope.name(), scope));
        return byName;
    }

    public static java.sql.Array scopes(Connection connection, Collection<Scope> scopes) throws SQLException {
        return connection.createArrayOf("text", scopes.stream().map(Scope::name).toArray());
    }

    /** Absent to IMPORTING; false when a row has appeared meanwhile. */
    public static boolean insertImporting(Connection connection, Scope scope, UUID move, long epoch)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, move_id)"
                        + " VALUES (?, ?, 'IMPORTING', ?, NULL, ?) ON CONFLICT (scope) DO NOTHING")) {
            statement.setString(1, scope.name());
            statement.setInt(2, scope.bucket());
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
            statement.setString(5, seen.scope().name());
            statement.setString(6, seen.state().name());
            statement.setLong(7, seen.epoch());
            statement.setObject(8, seen.moveId(), java.sql.Types.OTHER);
            return statement.executeUpdate() == 1;
        }
    }

    /** Writes the tombstones of a move as they are: whoever can do that could take them back. */
    public static void rewrite(Connection connection, Collection<Scope> scopes, UUID move) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE shardwright.fence SET state = state"
                + " WHERE scope = ANY (?) AND state = 'MOVED' AND move_id = ?")) {
            statement.setArray(1, scopes(connection, scopes));
            statement.setObject(2, move);
            statement.executeUpdate();
        }
    }

    /** Nothing to ABORTED, for a target that lost its IMPORTING row. */
    public static boolean insertAborted(Connection connection, Scope scope, UUID move, long epoch) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, move_id)"
                        + " VALUES (?, ?, 'ABORTED', ?, NULL, ?) ON CONFLICT (scope) DO NOTHING")) {
            statement.setString(1, scope.name());
            statement.setInt(2, scope.bucket());
            statement.setLong(3, epoch);
            statement.setObject(4, move);
            return statement.executeUpdate() == 1;
        }
    }
}
