package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.dataplane.postgres.fence.FenceSight;
import io.shardwright.routing.KeyType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Where rows lie, with a fence or without: one pass over each table, all of them in one snapshot. */
public final class PlacementScan {
    private static final int EXAMPLES = 10;

    private final String shard;
    private final ShardedSchema schema;
    private final Connection operator;
    private final Map<Integer, Long> rowsPerBucket = new TreeMap<>();
    private final Map<Integer, Long> rowsPerModulo = new TreeMap<>();
    private final Map<Integer, TreeSet<String>> examples = new TreeMap<>();
    private final Map<String, String> checksums = new TreeMap<>();

    public PlacementScan(String shard, ShardedSchema schema, Connection operator) {
        this.shard = shard;
        this.schema = schema;
        this.operator = operator;
    }

    public Placement run() throws SQLException {
        // before the snapshot: then it shows every row that no trigger has seen
        boolean guarded = FenceSight.look(operator, schema).whole();
        operator.setAutoCommit(false);
        try (Statement statement = operator.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            for (Table table : schema.tables()) {
                count(statement, table);
            }
            for (String reference : schema.referenceTables()) {
                checksums.put(reference, checksum(statement, ReferenceTable.parse(reference)));
            }
        } finally {
            operator.rollback();
            operator.setAutoCommit(true);
        }
        Map<Integer, List<String>> keys = new TreeMap<>();
        examples.forEach((bucket, found) ->
                keys.put(bucket, found.stream().limit(EXAMPLES).toList()));
        return new Placement(shard, rowsPerBucket, keys, rowsPerModulo, checksums, guarded);
    }

    private void count(Statement statement, Table table) throws SQLException {
        boolean modulo = schema.keyType() == KeyType.INT64;
        String query = """
                WITH per_key AS MATERIALIZED (SELECT %1$s::text AS key, count(*) AS n FROM %2$s GROUP BY %1$s),
                placed AS (
                  SELECT %3$s AS bucket, key, n, row_number() OVER (PARTITION BY %3$s ORDER BY key) AS nth FROM per_key)
                SELECT true AS by_bucket, bucket, sum(n)::bigint, array_agg(key) FILTER (WHERE nth <= %4$d)
                FROM placed GROUP BY bucket
                """.formatted(
                        SqlText.identifier(table.shardKey()),
                        SqlText.table(table),
                        SqlText.bucketExpression(schema.bucketing(), "key"),
                        EXAMPLES);
        if (modulo) {
            String remainder =
                    SqlText.moduloExpression("key", schema.bucketing().buckets());
            query += " UNION ALL SELECT false, " + remainder + ", sum(n)::bigint, NULL FROM per_key GROUP BY 2";
        }
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                int number = rows.getInt(2);
                if (rows.getBoolean(1)) {
                    rowsPerBucket.merge(number, rows.getLong(3), Long::sum);
                    TreeSet<String> keys = examples.computeIfAbsent(number, bucket -> new TreeSet<>());
                    Stream.of((String[]) rows.getArray(4).getArray()).forEach(keys::add);
                } else {
                    rowsPerModulo.merge(number, rows.getLong(3), Long::sum);
                }
            }
        }
    }

    /** Independent of the order of rows; rows are compared as the text of the whole row. */
    private String checksum(Statement statement, ReferenceTable table) throws SQLException {
        try (ResultSet row = statement.executeQuery("""
                SELECT count(*) || ':' || coalesce(sum(('x' || substr(md5(r::text), 1, 15))::bit(60)::bigint), 0)
                FROM %s AS r""".formatted(table.sql()))) {
            row.next();
            return row.getString(1);
        }
    }
}
