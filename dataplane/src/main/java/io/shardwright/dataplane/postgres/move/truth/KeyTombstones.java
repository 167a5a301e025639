package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.FenceRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/**
 * The tombstones that the activation of a bucket writes on its new owner, one for each key that does not come with it. A row that the
 * new owner has still, after what was old has gone, knows better: it owns the key itself, or was on its way later.
 */
public final class KeyTombstones {
    /** Five parameters, see {@link #bind}. */
    public static final String WRITE = "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, move_id)"
            + " SELECT scope, bucket, 'MOVED', epoch, owner, move_id FROM unnest(?::text[], ?::int[], ?::bigint[], ?::text[],"
            + " ?::uuid[]) AS k (scope, bucket, epoch, owner, move_id) ON CONFLICT (scope) DO NOTHING";

    private KeyTombstones() {}

    /** @return place of the next parameter */
    public static int bind(Connection connection, PreparedStatement statement, int from, List<FenceRow> rows)
            throws SQLException {
        statement.setArray(
                from, array(connection, "text", rows, row -> row.scope().name()));
        statement.setArray(from + 1, array(connection, "int4", rows, FenceRow::bucket));
        statement.setArray(from + 2, array(connection, "int8", rows, FenceRow::epoch));
        statement.setArray(from + 3, array(connection, "text", rows, FenceRow::owner));
        statement.setArray(from + 4, array(connection, "uuid", rows, FenceRow::moveId));
        return from + 5;
    }

    private static java.sql.Array array(
            Connection connection, String type, List<FenceRow> rows, Function<FenceRow, Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
