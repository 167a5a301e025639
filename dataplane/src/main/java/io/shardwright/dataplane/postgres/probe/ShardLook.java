package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.dataplane.postgres.fence.FenceSight;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One look at a primary: server, logins, tables, fence. Nothing is written. Checks that make no sense after an earlier
 * problem (an unsupported server, a newer fence) are left out.
 */
public final class ShardLook {
    private static final int OLDEST = 15;
    private static final int NEWEST = 18;

    private final ShardAccess shard;
    private final ShardedSchema schema;
    private final Connection operator;

    /** @param operator a session of the operator on the primary */
    public ShardLook(ShardAccess shard, ShardedSchema schema, Connection operator) {
        this.shard = shard;
        this.schema = schema;
        this.operator = operator;
    }

    /** @param known problems that were found before, on the way to the database */
    public ShardSight look(ShardAccess.Endpoint primary, List<Problem> known) throws SQLException {
        List<Problem> problems = new ArrayList<>(known);
        Identity identity = identity();
        if (identity.major < OLDEST || identity.major > NEWEST) {
            problems.add(new Problem(
                    Problem.Kind.UNSUPPORTED_VERSION,
                    "the server is PostgreSQL " + identity.version + "; supported are " + OLDEST + " to " + NEWEST));
            return sight(primary, identity, FenceSight.NONE, "", problems);
        }
        FenceSight fence = FenceSight.look(operator, schema);
        if (!fence.isKnown()) {
            problems.addAll(fence.damage());
            return sight(primary, identity, fence, "", problems);
        }
        problems.addAll(new ProblemQuery(operator)
                .ask(
                        SqlText.script("look-server.sql"),
                        shard.operator().username(),
                        shard.mover().username()));
        problems.addAll(TableRules.broken(operator, shard.operator().username(), schema));
        problems.addAll(fence.damage());
        return sight(primary, identity, fence, SchemaShape.hash(operator, schema), problems);
    }

    /** A sight of a shard that could not be read: problems and nothing else. */
    public static ShardSight blind(ShardAccess shard, List<Problem> problems) {
        return ShardSight.unread(shard.shard(), problems);
    }

    private ShardSight sight(
            ShardAccess.Endpoint primary, Identity identity, FenceSight fence, String shape, List<Problem> problems) {
        return new ShardSight(
                shard.shard(),
                Optional.of(primary),
                identity.version,
                identity.system,
                identity.timeline,
                fence.version(),
                fence.rows(),
                fence.armed(),
                fence.firstWrites(),
                shape,
                problems,
                fence.keys());
    }

    private record Identity(String version, int major, String system, long timeline) {}

    /** The timeline is that of the log being written: the control file still shows the old one just after a failover. */
    private Identity identity() throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT current_setting('server_version'), current_setting('server_version_num')::int / 10000,
                          (SELECT system_identifier::text FROM pg_control_system()),
                          ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint""")) {
            row.next();
            return new Identity(row.getString(1), row.getInt(2), row.getString(3), row.getLong(4));
        }
    }
}
