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
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Installs, upgrades and repairs the fence of one database, as the operator. The schema is one transaction; then each table
 * gets grants and triggers in a transaction of its own, so that writers of one table wait at most for its lock; the
 * publication comes last. Every part looks first and may be repeated after a crash anywhere.
 *
 * <p>The lock of a table is the barrier of an adoption: when it is granted, every earlier write is committed, and every later
 * one passes the trigger.
 */
public final class FenceInstallation {
    /** Version of the SQL in {@code shardwright/postgresql}; grows with every change of it. */
    public static final int VERSION = 3;

    /** Version 1 refused buckets without a fence row from its first trigger on. */
    static final int FIRST_WITH_ARMING = 2;

    /** Name of the publication that movers read. */
    public static final String PUBLICATION = "shardwright";

    private final Connection operator;
    private final ShardedSchema schema;
    private final BriefLock lock;

    public FenceInstallation(Connection operator, ShardedSchema schema) {
        this(operator, schema, BriefLock.PATIENCE);
    }

    /** @param patience how long a table that is in use is tried */
    FenceInstallation(Connection operator, ShardedSchema schema, Duration patience) {
        this.operator = operator;
        this.schema = schema;
        this.lock = new BriefLock(operator, patience);
    }

    /**
     * The schema alone, without any lock on a table of the application. A new fence is not armed, nor is one of version 1
     * whose adoption has not ended: the caller has seen that buckets are without an owner.
     *
     * @throws ShardException lasting, when this database was installed for another bucket function
     */
    public void prepare() throws SQLException, ShardException {
        alone(() -> installSchema(false));
    }

    /**
     * Everything. A new fence is armed.
     *
     * @throws ShardException lasting, when this database was installed for another bucket function
     */
    public void run() throws SQLException, ShardException {
        alone(() -> {
            installSchema(true);
            operator.commit();
            for (Table table : schema.tables()) {
                new TableFence(operator, table).install(lock);
            }
            new FencePublication(operator, schema).install();
        });
    }

    private interface Work {
        void run() throws SQLException, ShardException;
    }

    private void alone(Work work) throws SQLException, ShardException {
        // two operators, an old leader among them, take turns; the lock ends with the session at the latest
        execute("SELECT pg_advisory_lock(7004, 0)");
        operator.setAutoCommit(false);
        try {
            work.run();
            operator.commit();
        } finally {
            operator.rollback();
            operator.setAutoCommit(true);
            execute("SELECT pg_advisory_unlock(7004, 0)");
        }
    }

    private void installSchema(boolean armed) throws SQLException, ShardException {
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
        recordInstallation(armed);
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
            Optional<String> newer = NewerFence.seen(row.getInt("version"));
            if (newer.isPresent()) {
                throw new ShardException(newer.get() + ": " + NewerFence.REMEDY, true, null);
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

    /** A row that says so already is not written again: first writes in flight hold it. */
    private void recordInstallation(boolean armed) throws SQLException {
        String code = FenceCode.fingerprint(operator);
        if (exists("SELECT FROM shardwright.installation")) {
            update("""
                    UPDATE shardwright.installation SET version = ?, code = ?, armed = armed AND (? OR version >= ?)
                    WHERE version <> ? OR code <> ?""", VERSION, code, armed, FIRST_WITH_ARMING, VERSION, code);
        } else {
            update(
                    "INSERT INTO shardwright.installation (version, buckets, hash, key_type, code, armed) VALUES (?, ?, ?, ?, ?, ?)",
                    VERSION,
                    schema.bucketing().buckets(),
                    schema.bucketing().hash().wire(),
                    schema.keyType().wire(),
                    code,
                    armed);
        }
        for (Table table : schema.tables()) {
            update("""
                    INSERT INTO shardwright.sharded_table (position, table_schema, table_name, shard_key, scanned)
                    SELECT coalesce(max(position), 0) + 1, ?, ?, ?, false FROM shardwright.sharded_table
                    ON CONFLICT (table_schema, table_name) DO NOTHING""", table.schema(), table.name(), table.shardKey());
        }
    }

    private void update(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
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
