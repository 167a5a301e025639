package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.MisplacedRowsException;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Tables that came to an armed fence with whatever rows they had. Their rows are looked at before their triggers stand, because
 * an application that uses a table on the wrong shard should not be stopped by surprise, and again afterwards, because only
 * then nothing can be missed. Until that is done the fence counts as damaged, so no move begins.
 */
public final class AppendedTables {
    private final Connection operator;
    private final ShardedSchema schema;

    public AppendedTables(Connection operator, ShardedSchema schema) {
        this.operator = operator;
        this.schema = schema;
    }

    /** What {@link #settle} would look at. */
    List<String> damage() throws SQLException {
        return unscanned().stream()
                .map(table -> "the rows of table " + SqlText.table(table) + " were not looked at yet")
                .toList();
    }

    /** Reads only. @throws MisplacedRowsException when a table holds rows of a bucket or key that is not owned here */
    public void check() throws SQLException, MisplacedRowsException {
        if (isArmed()) {
            for (Table table : unscanned()) {
                refuseForeign(table, found(table));
            }
        }
    }

    /**
     * To be called when the triggers stand: nothing can be written to a bucket of another shard any more.
     *
     * @throws MisplacedRowsException when a table holds rows of a bucket or key that is not owned here
     */
    public void settle() throws SQLException, ShardException {
        if (!isArmed()) {
            return;
        }
        for (Table table : unscanned()) {
            if (!new TableFence(operator, table).damage().isEmpty()) {
                throw new ShardException(
                        "the triggers of table " + SqlText.table(table) + " are damaged again: look who changes them",
                        false,
                        null);
            }
            List<Found> found = found(table);
            operator.setAutoCommit(false);
            try {
                // a switch in flight ends first, or waits: the rows are of what is owned here at that moment
                execute("SELECT FROM shardwright.fence WHERE state = 'OWNED' FOR SHARE");
                refuseForeign(table, found);
                markScanned(operator, table);
                operator.commit();
            } finally {
                operator.rollback();
                operator.setAutoCommit(true);
            }
        }
    }

    static void markScanned(Connection operator, Table table) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement(
                "UPDATE shardwright.sharded_table SET scanned = true WHERE table_schema = ? AND table_name = ?")) {
            statement.setString(1, table.schema());
            statement.setString(2, table.name());
            statement.executeUpdate();
        }
    }

    /** False also where nothing is installed, or version 1: what it knew counts as scanned. */
    private boolean isArmed() throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT EXISTS (SELECT FROM pg_attribute
                          WHERE attrelid = to_regclass('shardwright.installation') AND attname = 'armed')""")) {
            row.next();
            if (!row.getBoolean(1)) {
                return false;
            }
        }
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("SELECT armed FROM shardwright.installation")) {
            return row.next() && row.getBoolean(1);
        }
    }

    private List<Table> unscanned() throws SQLException {
        Set<String> scanned = new HashSet<>();
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT table_schema, table_name FROM shardwright.sharded_table WHERE scanned")) {
            while (row.next()) {
                scanned.add(SqlText.identifier(row.getString(1)) + "." + SqlText.identifier(row.getString(2)));
            }
        }
        return schema.tables().stream()
                .filter(table -> !scanned.contains(SqlText.table(table)))
                .toList();
    }

    /**
     * Rows that one fence row decides about.
     *
     * @param scope of that row: of the key where it has one here, else of the bucket
     * @param key one of theirs
     */
    private record Found(String scope, long rows, String key) {
        @Override
        public String toString() {
            boolean apart = scope.startsWith("k:");
            return (apart ? "" : "bucket " + scope.substring("b:".length()) + ": ") + rows + " rows "
                    + (apart ? "of key " + key + ", which lives apart from its bucket" : "(key " + key + ")");
        }
    }

    private List<Found> found(Table table) throws SQLException {
        String key = "t." + SqlText.identifier(table.shardKey()) + "::text";
        String bucket = "(" + SqlText.bucketExpression(schema.bucketing(), key) + ")";
        String sql = "SELECT coalesce(k.scope, 'b:' || " + bucket + "), count(*), min(" + key + "), coalesce(k.bucket, "
                + bucket + ") FROM " + SqlText.table(table)
                + " AS t LEFT JOIN shardwright.fence k ON k.scope = ('k:' || "
                + key + ") COLLATE \"C\" GROUP BY 1, 4 ORDER BY 4, 1";
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<Found> found = new ArrayList<>();
            while (row.next()) {
                found.add(new Found(row.getString(1), row.getLong(2), row.getString(3)));
            }
            return found;
        }
    }

    private void refuseForeign(Table table, List<Found> found) throws SQLException, MisplacedRowsException {
        Set<String> owned = owned();
        List<Found> foreign =
                found.stream().filter(rows -> !owned.contains(rows.scope())).toList();
        if (!foreign.isEmpty()) {
            throw new MisplacedRowsException("table " + SqlText.table(table) + " holds rows of " + foreign.size()
                    + " buckets or keys that are not owned here: "
                    + foreign.stream().limit(10).map(Found::toString).collect(Collectors.joining("; "))
                    + "; no row was touched; bring them to the shards that own them");
        }
    }

    /** Names of scopes. */
    private Set<String> owned() throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("SELECT scope FROM shardwright.fence WHERE state = 'OWNED'")) {
            Set<String> owned = new HashSet<>();
            while (row.next()) {
                owned.add(row.getString(1));
            }
            return owned;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.execute(sql);
        }
    }
}
