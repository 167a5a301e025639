package io.shardwright.client.jdbc;

import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.ShardKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The right to write to a bucket, taken by {@code shardwright.enter} at the beginning of a transaction and kept until its end.
 *
 * @param key canonical text, or null for a bucket whose key only the database knows
 */
record Entry(int bucket, String key) {
    private static final String PARAMETERS = "SELECT shardwright.enter(?, ?, NULL);\n";
    static final int PARAMETER_COUNT = 2;

    /** The fence row that decides for bucket and key, in the snapshot of the transaction. */
    private static final String DECIDING_ROW = """
        SELECT state, epoch, owner, move_id::text AS move FROM shardwright.fence
        WHERE scope = ? OR scope = ? ORDER BY scope DESC LIMIT 1\
        """;

    static Entry of(int bucket, ShardKey key) {
        return new Entry(bucket, key.text());
    }

    /** In front of a prepared statement; two parameters each. */
    static String parametersFor(List<Entry> entries) {
        return PARAMETERS.repeat(entries.size());
    }

    /** In front of SQL text. The key is an E'' literal, which no setting of the session reads differently. */
    static String literalsFor(List<Entry> entries) {
        StringBuilder sql = new StringBuilder();
        for (Entry entry : entries) {
            sql.append("SELECT shardwright.enter(").append(entry.bucket).append(", ");
            if (entry.key == null) {
                sql.append("NULL");
            } else {
                String text = entry.key.replace("\\", "\\\\").replace("'", "''");
                sql.append("E'").append(text).append('\'');
            }
            sql.append(", NULL);\n");
        }
        return sql.toString();
    }

    static void bind(PreparedStatement statement, List<Entry> entries) throws SQLException {
        int index = 1;
        for (Entry entry : entries) {
            statement.setInt(index++, entry.bucket);
            statement.setString(index++, entry.key);
        }
    }

    /** A round trip of its own, where it cannot travel with a statement. */
    static void enter(Connection connection, List<Entry> entries) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(parametersFor(entries))) {
            bind(statement, entries);
            statement.execute();
        }
    }

    /** Makes the transaction that is about to begin read-only, with one snapshot for all of its statements. */
    static void beginSnapshot(Connection connection) throws SQLException {
        try (Statement begin = connection.createStatement()) {
            begin.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        }
    }

    /**
     * Looks up in the snapshot of the transaction whether this shard owns the bucket.
     *
     * @throws RefusedReadException when it does not
     */
    void checkOwned(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DECIDING_ROW)) {
            statement.setString(1, "b:" + bucket);
            statement.setString(2, "k:" + key);
            try (ResultSet row = statement.executeQuery()) {
                FenceRefusal found = row.next()
                        ? new FenceRefusal(
                                bucket,
                                FenceState.valueOf(row.getString("state")),
                                row.getString("owner"),
                                row.getLong("epoch"),
                                row.getString("move"))
                        : new FenceRefusal(bucket, FenceState.ABSENT, null, 0, null);
                if (found.state() != FenceState.OWNED) {
                    throw new RefusedReadException(found);
                }
            }
        }
    }
}
