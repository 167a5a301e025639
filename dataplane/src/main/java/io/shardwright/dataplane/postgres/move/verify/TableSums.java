package io.shardwright.dataplane.postgres.move.verify;

import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.move.apply.RowKey;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardKey;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts and sums of one table on one side, in one snapshot. A chunk is a share of the keys by their hash, not a range, so
 * that two servers with different collations cut alike; the sum is 128 bits of MD5 of the row's text, added up in two
 * halves, and does not depend on the order of rows.
 */
final class TableSums {
    private static final int FETCH = 5_000;

    private final MovedTable table;
    private final String rows;

    /** @param chunks how many shares the keys are cut into */
    TableSums(MovedTable table, Collection<Scope> scopes, int chunks) {
        this.table = table;
        rows = "SELECT " + table.keyList(column -> "concat(" + column + ") AS " + column) + ", "
                + chunkOf(table, chunks) + " AS chunk_, md5(ROW(" + table.columnList() + ")::text) AS hash_ FROM "
                + table.sql() + " WHERE " + table.in(scopes);
    }

    private static String chunkOf(MovedTable table, int chunks) {
        String key = "ROW(" + table.keyList() + ")::text";
        return "('x' || substr(md5(" + key + "), 1, 7))::bit(28)::int % " + chunks;
    }

    record Sum(long rows, BigDecimal high, BigDecimal low) {}

    /** @return by chunk; chunks without rows are missing */
    Map<Integer, Sum> read(Connection connection) throws SQLException {
        Map<Integer, Sum> sums = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement("SELECT chunk_, count(*),"
                        + " sum(('x' || substr(hash_, 1, 16))::bit(64)::bigint::numeric),"
                        + " sum(('x' || substr(hash_, 17, 16))::bit(64)::bigint::numeric)"
                        + " FROM (" + rows + ") AS r GROUP BY chunk_");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                sums.put(row.getInt(1), new Sum(row.getLong(2), row.getBigDecimal(3), row.getBigDecimal(4)));
            }
        }
        return sums;
    }

    /** @return hash by key, for chunks that differ */
    Map<RowKey, String> rowsOf(Connection connection, Collection<Integer> chunks) throws SQLException {
        return hashes(connection, "SELECT * FROM (" + rows + ") AS r WHERE chunk_ = ANY (?)", chunks.toArray(), "int4");
    }

    /** @return hash by key, of those keys that exist */
    Map<RowKey, String> rowsOf(Connection connection, List<RowKey> keys) throws SQLException {
        Map<RowKey, String> found = new HashMap<>();
        String sql = rows + " AND (" + table.keyList() + ") = (" + table.keyList(column -> "?") + ")";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (RowKey key : keys) {
                for (int i = 0; i < key.key().size(); i++) {
                    statement.setObject(i + 1, key.key().get(i), java.sql.Types.OTHER);
                }
                try (ResultSet row = statement.executeQuery()) {
                    collect(row, found);
                }
            }
        }
        return found;
    }

    /** The bucket of a row of this table: the shard key is a part of every primary key. */
    int bucketOf(RowKey row, ShardedSchema schema) {
        int place = table.key().stream().map(MovedTable.Column::name).toList().indexOf(table.shardKey());
        return schema.bucketing()
                .bucketOf(ShardKey.of(schema.keyType(), row.key().get(place)));
    }

    private Map<RowKey, String> hashes(Connection connection, String sql, Object[] values, String type)
            throws SQLException {
        Map<RowKey, String> found = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setFetchSize(FETCH); // else the driver keeps the whole result beside the map
            statement.setArray(1, connection.createArrayOf(type, values));
            try (ResultSet row = statement.executeQuery()) {
                collect(row, found);
            }
        }
        return found;
    }

    private void collect(ResultSet row, Map<RowKey, String> found) throws SQLException {
        int width = table.key().size();
        while (row.next()) {
            List<String> key = new ArrayList<>(width);
            for (int i = 1; i <= width; i++) {
                key.add(row.getString(i));
            }
            found.put(new RowKey(table.qualifiedName(), key), row.getString(width + 2));
        }
    }
}
