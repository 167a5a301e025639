package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.postgres.SqlText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.SortedSet;

/** Writes ownership of buckets that nobody has owned here; the caller has made sure that no other shard owns them. */
public final class Adoption {
    private final Connection operator;
    private final String shard;

    public Adoption(Connection operator, String shard) {
        this.operator = operator;
        this.shard = shard;
    }

    /**
     * One durable commit; rows that exist stay as they are.
     *
     * @throws ShardException when the server warned about the commit: a standby may not have it, so it is repeated
     */
    public void adopt(SortedSet<Integer> buckets) throws SQLException, ShardException {
        try (PreparedStatement statement = operator.prepareStatement("""
                INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner, overrides)
                SELECT 'b:' || b.bucket, b.bucket, 'OWNED', 1, ?, %s
                FROM unnest(?::int[]) AS b (bucket)
                ON CONFLICT (scope) DO NOTHING""".formatted(SqlText.keyRowsOf("b.bucket")))) {
            statement.setString(1, shard);
            statement.setArray(2, operator.createArrayOf("int4", buckets.toArray()));
            statement.executeUpdate();
            SQLWarning warning = statement.getWarnings();
            if (warning != null) {
                throw new ShardException(
                        "shard " + shard + ": adopted, but the server warned: " + warning.getMessage(), false, warning);
            }
        }
    }
}
