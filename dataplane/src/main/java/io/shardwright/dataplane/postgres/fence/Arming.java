package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;

/**
 * From here on a bucket without a fence row is refused. The update waits for exactly the transactions that made a first write
 * and are still open; in its commit what they noted becomes ownership, so no row is left without an owner.
 */
public final class Arming {
    private static final BriefLock.Wanted SWITCH = new BriefLock.Wanted(
            "shardwright", "installation", "UPDATE shardwright.installation SET armed = true WHERE NOT armed");

    private final Connection operator;
    private final String shard;
    private final ShardedSchema schema;
    private final BriefLock lock;

    public Arming(Connection operator, String shard, ShardedSchema schema) {
        this(operator, shard, schema, BriefLock.PATIENCE);
    }

    Arming(Connection operator, String shard, ShardedSchema schema, Duration patience) {
        this.operator = operator;
        this.shard = shard;
        this.schema = schema;
        this.lock = new BriefLock(operator, patience);
    }

    /** @throws ShardException not lasting: a first write is still open, or the server warned about the commit */
    public void arm() throws SQLException, ShardException {
        operator.setAutoCommit(false);
        try {
            operator.clearWarnings();
            lock.run(SWITCH, this::settle);
            SQLWarning warning = operator.getWarnings();
            if (warning != null) {
                throw new ShardException(
                        "shard " + shard + ": armed, but the server warned: " + warning.getMessage(), false, warning);
            }
        } finally {
            operator.rollback();
            operator.setAutoCommit(true);
        }
    }

    private void settle() throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement("""
                WITH noted AS (DELETE FROM shardwright.first_write RETURNING bucket)
                INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, overrides)
                SELECT DISTINCT 'b:' || b.bucket, b.bucket, 'OWNED', 1, ?, %s
                FROM noted b
                ON CONFLICT (scope) DO NOTHING""".formatted(SqlText.keyRowsOf("b.bucket")))) {
            statement.setString(1, shard);
            statement.executeUpdate();
        }
        for (Table table : schema.tables()) {
            AppendedTables.markScanned(operator, table);
        }
    }
}
