package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.ShardedSchema;
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

/**
 * The publication that movers read: whole sharded tables, through their roots, and the three tables whose changes mean
 * something in the stream. Buckets are filtered in the mover: a row filter on a column outside of the identity would break
 * the application's updates.
 */
final class FencePublication {
    private static final String OPTIONS =
            " %s (publish = 'insert, update, delete, truncate', publish_via_partition_root = true)";

    private final Connection operator;
    private final ShardedSchema schema;

    FencePublication(Connection operator, ShardedSchema schema) {
        this.operator = operator;
        this.schema = schema;
    }

    void install() throws SQLException {
        if (!exists()) {
            execute("CREATE PUBLICATION " + FenceInstallation.PUBLICATION + " FOR TABLE " + String.join(", ", wanted())
                    + OPTIONS.formatted("WITH"));
            return;
        }
        Set<String> whole = publishedWhole();
        Set<String> named = published();
        for (String table : wanted()) {
            if (!whole.contains(table)) {
                if (named.contains(table)) {
                    execute("ALTER PUBLICATION " + FenceInstallation.PUBLICATION + " DROP TABLE " + table);
                }
                execute("ALTER PUBLICATION " + FenceInstallation.PUBLICATION + " ADD TABLE " + table);
            }
        }
        execute("ALTER PUBLICATION " + FenceInstallation.PUBLICATION + OPTIONS.formatted("SET"));
    }

    /** What {@link #install} would repair. */
    List<String> damage() throws SQLException {
        List<String> missing = new ArrayList<>(wanted());
        missing.removeAll(publishedWhole());
        List<String> damage = new ArrayList<>();
        if (!missing.isEmpty()) {
            damage.add("publication " + FenceInstallation.PUBLICATION + " lacks all rows and columns of " + missing);
        } else if (!publishesEverything()) {
            damage.add("publication " + FenceInstallation.PUBLICATION + " has altered options");
        }
        return damage;
    }

    private List<String> wanted() {
        List<String> wanted = new ArrayList<>(List.of(
                "\"shardwright\".\"fence\"", "\"shardwright\".\"move_progress\"", "\"shardwright\".\"heartbeat\""));
        schema.tables().stream().map(SqlText::table).forEach(wanted::add);
        return wanted;
    }

    private boolean exists() throws SQLException {
        return isTrue("SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = ?)");
    }

    private boolean publishesEverything() throws SQLException {
        return isTrue("""
                SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = ?
                  AND pubinsert AND pubupdate AND pubdelete AND pubtruncate AND pubviaroot)""");
    }

    private Set<String> published() throws SQLException {
        return tables("");
    }

    private Set<String> publishedWhole() throws SQLException {
        return tables(" AND r.prqual IS NULL AND r.prattrs IS NULL");
    }

    private Set<String> tables(String condition) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement("""
                SELECT '"' || replace(n.nspname, '"', '""') || '"."' || replace(c.relname, '"', '""') || '"'
                FROM pg_publication p
                JOIN pg_publication_rel r ON r.prpubid = p.oid
                JOIN pg_class c ON c.oid = r.prrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE p.pubname = ?""" + condition)) {
            statement.setString(1, FenceInstallation.PUBLICATION);
            Set<String> tables = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    tables.add(rows.getString(1));
                }
            }
            return tables;
        }
    }

    private boolean isTrue(String query) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement(query)) {
            statement.setString(1, FenceInstallation.PUBLICATION);
            try (ResultSet answer = statement.executeQuery()) {
                answer.next();
                return answer.getBoolean(1);
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.execute(sql);
        }
    }
}
