package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Whether a target with a declared capacity has room: for what it holds and what comes, a fifth more of both, and its log. What
 * comes is told from a sample of the source's rows, because to count them all would take as long as to copy them.
 */
final class TargetSpace {
    /** Pages that are looked at, in each table. */
    private static final int SAMPLE = 2_000;

    private static final String SIZE =
            "SELECT COALESCE(sum(pg_total_relation_size(relid)), pg_total_relation_size(?::regclass)),"
                    + " COALESCE(sum(pg_relation_size(relid)), pg_relation_size(?::regclass)) / current_setting('block_size')::int"
                    + " FROM pg_partition_tree(?::regclass)";

    private final Connection source;
    private final Connection target;
    private final MoveTask task;

    TargetSpace(Connection source, Connection target, MoveTask task) {
        this.source = source;
        this.target = target;
        this.task = task;
    }

    /** @return empty when there is room, and when nobody has declared how much there is */
    Optional<Problem> shortage() throws SQLException {
        if (task.target().capacityBytes().isEmpty()) {
            return Optional.empty();
        }
        long capacity = task.target().capacityBytes().getAsLong();
        Space holds = Space.read(target);
        long comes = comes();
        return capacity >= 1.2 * (holds.bytes() + comes) + holds.reserve()
                ? Optional.empty()
                : Optional.of(new Problem(
                        Problem.Kind.SETTINGS,
                        ("shard %s: its capacity is %s; it holds %s, about %s come with these buckets, and with a fifth more and"
                                        + " %s for its log (max_wal_size) that is more: raise capacity if its disk is larger, or"
                                        + " move to another shard")
                                .formatted(
                                        task.target().shard(),
                                        Space.text(capacity),
                                        Space.text(holds.bytes()),
                                        Space.text(comes),
                                        Space.text(holds.reserve()))));
    }

    private long comes() throws SQLException {
        double bytes = 0;
        for (Table table : task.schema().tables()) {
            bytes += comes(table);
        }
        return (long) bytes;
    }

    private double comes(Table table) throws SQLException {
        String name = SqlText.table(table);
        try (PreparedStatement statement = source.prepareStatement(SIZE)) {
            for (int i = 1; i <= 3; i++) {
                statement.setString(i, name);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                long pages = row.getLong(2);
                return pages == 0 ? 0 : row.getLong(1) * share(table, Math.min(100.0, 100.0 * SAMPLE / pages));
            }
        }
    }

    /** @return share of the rows that belongs to the move; all, when the sample has hit none */
    private double share(Table table, double percent) throws SQLException {
        String sql = "SELECT count(*) FILTER (WHERE " + SqlText.inScopes(table.shardKey(), task.scopes())
                + "), count(*) FROM " + SqlText.table(table) + " TABLESAMPLE SYSTEM (" + percent + ")";
        try (PreparedStatement statement = source.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(2) == 0 ? 1 : (double) row.getLong(1) / row.getLong(2);
        }
    }
}
