package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.MisplacedRowsException;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Takes back what an adoption has noted or written for buckets that turned out to lie on another shard. Looked at twice: without
 * a lock, so that a bucket which has rows costs no writer anything, and then under the buckets' locks, which wait for nobody.
 */
public final class Release {
    private final Connection operator;
    private final String shard;
    private final ShardedSchema schema;

    public Release(Connection operator, String shard, ShardedSchema schema) {
        this.operator = operator;
        this.shard = shard;
        this.schema = schema;
    }

    /** @throws ShardException not lasting: a bucket has rows here, or a transaction is at work on one */
    public void release(SortedSet<Integer> buckets) throws SQLException, ShardException {
        operator.setAutoCommit(false);
        try {
            refuseRows(buckets);
            operator.commit();
            lock(buckets);
            refuseRows(buckets);
            // a row that a move has written is no business of an adoption
            delete(
                    "DELETE FROM shardwright.fence WHERE state = 'OWNED' AND epoch = 1 AND move_id IS NULL"
                            + " AND scope = 'b:' || bucket AND bucket = ANY (?)",
                    buckets);
            delete("DELETE FROM shardwright.first_write WHERE bucket = ANY (?)", buckets);
            operator.commit();
        } finally {
            operator.rollback();
            operator.setAutoCommit(true);
        }
    }

    private void refuseRows(SortedSet<Integer> buckets) throws SQLException, MisplacedRowsException {
        for (Table table : schema.tables()) {
            String query = "SELECT DISTINCT bucket FROM (SELECT %s AS bucket FROM %s) placed WHERE bucket = ANY (?)"
                    .formatted(
                            SqlText.bucketExpression(
                                    schema.bucketing(), SqlText.identifier(table.shardKey()) + "::text"),
                            SqlText.table(table));
            SortedSet<Integer> held = numbers(query, buckets);
            if (!held.isEmpty()) {
                throw new MisplacedRowsException("table " + table.schema() + "." + table.name() + " of shard " + shard
                        + " has rows of buckets " + held
                        + ", which other shards hold too; bring the rows of each bucket to one shard");
            }
        }
    }

    private void lock(SortedSet<Integer> buckets) throws SQLException, ShardException {
        SortedSet<Integer> busy = numbers(
                "SELECT bucket FROM unnest(?::int[]) bucket WHERE NOT pg_try_advisory_xact_lock(7001, bucket)",
                buckets);
        if (!busy.isEmpty()) {
            throw new ShardException(
                    "shard " + shard + ": transactions are at work on buckets " + busy + "; it is tried again",
                    false,
                    null);
        }
    }

    private SortedSet<Integer> numbers(String query, SortedSet<Integer> buckets) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement(query)) {
            statement.setArray(1, array(buckets));
            SortedSet<Integer> numbers = new TreeSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    numbers.add(rows.getInt(1));
                }
            }
            return numbers;
        }
    }

    private void delete(String sql, SortedSet<Integer> buckets) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement(sql)) {
            statement.setArray(1, array(buckets));
            statement.executeUpdate();
        }
    }

    private Array array(SortedSet<Integer> buckets) throws SQLException {
        return operator.createArrayOf("int4", buckets.toArray());
    }
}
