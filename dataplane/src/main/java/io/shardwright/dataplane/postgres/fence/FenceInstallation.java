package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * Installs, upgrades and repairs the fence of one database, as the operator. The schema is one transaction; then each table
 * gets grants and triggers in a transaction of its own, so that writers of one table wait at most for its lock; the
 * publication comes last. Every part looks first and may be repeated after a crash anywhere.
 */
public final class FenceInstallation {
    /** Version of the SQL in {@code shardwright/postgresql}; grows with every change of it. */
    public static final int VERSION = 1;

    /** Name of the publication that movers read. */
    public static final String PUBLICATION = "shardwright";

    private final Connection operator;
    private final ShardedSchema schema;

    public FenceInstallation(Connection operator, ShardedSchema schema) {
        this.operator = operator;
        this.schema = schema;
    }

    /** @throws ShardException lasting, when this database was installed for another bucket function */
    public void run() throws SQLException, ShardException {
        // two operators, an old leader among them, take turns; the lock ends with the session at the latest
        execute("SELECT pg_advisory_lock(7004, 0)");
        operator.setAutoCommit(false);
        try {
            installSchema();
            operator.commit();
            for (Table table : schema.tables()) {
                // whoever writes the table queues behind this wait, so it is short
                execute("SET LOCAL lock_timeout = '500ms'");
                new TableFence(operator, table).install();
                operator.commit();
            }
            new FencePublication(operator, schema).install();
            operator.commit();
        } finally {
            operator.rollback();
            operator.setAutoCommit(true);
            execute("SELECT pg_advisory_unlock(7004, 0)");
        }
    }

    private void installSchema() throws SQLException, ShardException {
        if (!exists("SELECT FROM pg_namespace WHERE nspname = 'shardwright'")) {
            execute("CREATE SCHEMA shardwright AUTHORIZATION shardwright_owner");
        }
        execute("SET LOCAL ROLE shardwright_owner");
        execute(SqlText.script("01-schema.sql"));
        checkBucketFunction();
        execute(SqlText.script(
                "02-fence.sql", Map.of("bucket_expression", SqlText.bucketExpression(schema.bucketing(), "key"))));
        for (String shardKey :
                schema.tables().stream().map(Table::shardKey).distinct().toList()) {
            execute(SqlText.script(
                    "03-row-fence.sql",
                    Map.of(
                            "shard_key", SqlText.identifier(shardKey),
                            "row_function", SqlText.identifier(TableFence.rowFunction(shardKey)))));
        }
        execute(SqlText.script("04-identity.sql"));
        recordInstallation();
        execute(SqlText.script("05-grants.sql"));
        execute("RESET ROLE");
    }

    private void checkBucketFunction() throws SQLException, ShardException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT version, buckets, hash, key_type FROM shardwright.installation")) {
            if (!row.next()) {
                return;
            }
            if (row.getInt("version") > VERSION) {
                throw new ShardException(
                        "the fence has version " + row.getInt("version") + ", this operator knows " + VERSION
                                + ": run the newer operator",
                        true,
                        null);
            }
            String installed =
                    row.getInt("buckets") + " buckets, " + row.getString("hash") + ", " + row.getString("key_type");
            String wanted = schema.bucketing().buckets() + " buckets, "
                    + schema.bucketing().hash().wire() + ", " + schema.keyType().wire();
            if (!installed.equals(wanted)) {
                throw new ShardException(
                        "the fence was installed for " + installed + ", the ShardCluster says " + wanted
                                + ": this database belongs to another cluster, check hosts and database",
                        true,
                        null);
            }
        }
    }

    private void recordInstallation() throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement("""
                INSERT INTO shardwright.installation (version, buckets, hash, key_type, code) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (only_row) DO UPDATE SET version = excluded.version, code = excluded.code""")) {
            statement.setInt(1, VERSION);
            statement.setInt(2, schema.bucketing().buckets());
            statement.setString(3, schema.bucketing().hash().wire());
            statement.setString(4, schema.keyType().wire());
            statement.setString(5, FenceCode.fingerprint(operator));
            statement.executeUpdate();
        }
        try (PreparedStatement statement = operator.prepareStatement("""
                INSERT INTO shardwright.sharded_table (position, table_schema, table_name, shard_key)
                SELECT coalesce(max(position), 0) + 1, ?, ?, ? FROM shardwright.sharded_table
                ON CONFLICT (table_schema, table_name) DO NOTHING""")) {
            for (Table table : schema.tables()) {
                statement.setString(1, table.schema());
                statement.setString(2, table.name());
                statement.setString(3, table.shardKey());
                statement.executeUpdate();
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.execute(sql);
        }
    }

    private boolean exists(String query) throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            return found.next();
        }
    }
}
