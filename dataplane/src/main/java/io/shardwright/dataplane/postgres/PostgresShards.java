package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.Shards;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.dataplane.postgres.fence.Adoption;
import io.shardwright.dataplane.postgres.fence.AppendedTables;
import io.shardwright.dataplane.postgres.fence.Arming;
import io.shardwright.dataplane.postgres.fence.FenceInstallation;
import io.shardwright.dataplane.postgres.fence.Release;
import io.shardwright.dataplane.postgres.probe.PlacementScan;
import io.shardwright.dataplane.postgres.probe.ShardLook;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;

/** {@link Shards} on PostgreSQL. Thread-safe; a session per call. */
public final class PostgresShards implements Shards {
    private static final Duration SCAN_LIMIT = Duration.ofMinutes(10);

    private final PostgresSessions sessions;

    public PostgresShards(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public int fenceVersion() {
        return FenceInstallation.VERSION;
    }

    @Override
    public ShardSight look(ShardAccess shard, ShardedSchema schema) {
        try {
            PrimaryDiscovery discovery = PrimaryDiscovery.ask(sessions, shard, As.OPERATOR);
            if (!discovery.problems().isEmpty()) {
                return ShardLook.blind(shard, discovery.problems());
            }
            ShardAccess.Endpoint primary = discovery.primary();
            List<Problem> moverProblems = moverProblems(shard, primary);
            try (Connection operator =
                    sessions.connect(shard, As.OPERATOR, primary, Session.probe("shardwright/look"))) {
                return new ShardLook(shard, schema, operator).look(primary, moverProblems);
            }
        } catch (SQLException e) {
            return ShardLook.blind(shard, List.of(SqlFailure.of(e).asProblem("look at the primary")));
        } catch (ShardException e) {
            return ShardLook.blind(shard, List.of(new Problem(Problem.Kind.UNREACHABLE, e.getMessage())));
        }
    }

    /** A mover that cannot log in is found now, not in the middle of the first move. */
    private List<Problem> moverProblems(ShardAccess shard, ShardAccess.Endpoint primary) throws SQLException {
        try (Connection mover = sessions.connect(shard, As.MOVER, primary, Session.probe("shardwright/look"))) {
            return mover.isValid(3)
                    ? List.of()
                    : List.of(new Problem(Problem.Kind.UNREACHABLE, "the mover's session does not answer"));
        } catch (SQLException e) {
            return List.of(SqlFailure.of(e).asProblem("connect to " + primary + " as mover " + shard.mover()));
        }
    }

    @Override
    public Placement scan(ShardAccess shard, ShardedSchema schema) throws ShardException {
        return onPrimary(
                shard,
                "scan the tables",
                scanning("shardwright/scan"),
                connection -> new PlacementScan(shard.shard(), schema, connection).run());
    }

    /** A read of whole tables. */
    private static Session scanning(String name) {
        Session unhurried = Session.unhurried(name);
        return new Session(name, unhurried.connect(), SCAN_LIMIT, SCAN_LIMIT, Duration.ofSeconds(2));
    }

    @Override
    public void prepare(ShardAccess shard, ShardedSchema schema, SortedSet<Integer> buckets) throws ShardException {
        onPrimary(shard, "prepare the adoption", Session.probe("shardwright/install"), connection -> {
            new FenceInstallation(connection, schema).prepare();
            new Adoption(connection, shard.shard()).adopt(buckets);
            return null;
        });
    }

    @Override
    public void installFence(ShardAccess shard, ShardedSchema schema) throws ShardException {
        onPrimary(shard, "look at appended tables", scanning("shardwright/scan"), connection -> {
            new AppendedTables(connection, schema).check();
            return null;
        });
        onPrimary(shard, "install the fence", Session.probe("shardwright/install"), connection -> {
            new FenceInstallation(connection, schema).run();
            return null;
        });
        onPrimary(shard, "look at appended tables", scanning("shardwright/scan"), connection -> {
            new AppendedTables(connection, schema).settle();
            return null;
        });
    }

    @Override
    public void adopt(ShardAccess shard, SortedSet<Integer> buckets) throws ShardException {
        onPrimary(shard, "adopt buckets", Session.probe("shardwright/adopt"), connection -> {
            new Adoption(connection, shard.shard()).adopt(buckets);
            return null;
        });
    }

    @Override
    public void arm(ShardAccess shard, ShardedSchema schema) throws ShardException {
        onPrimary(shard, "arm the fence", Session.probe("shardwright/adopt"), connection -> {
            new Arming(connection, shard.shard(), schema).arm();
            return null;
        });
    }

    @Override
    public void release(ShardAccess shard, ShardedSchema schema, SortedSet<Integer> buckets) throws ShardException {
        onPrimary(shard, "release buckets", scanning("shardwright/adopt"), connection -> {
            new Release(connection, shard.shard(), schema).release(buckets);
            return null;
        });
    }

    private interface Work<T> {
        T with(Connection connection) throws SQLException, ShardException;
    }

    private <T> T onPrimary(ShardAccess shard, String doing, Session session, Work<T> work) throws ShardException {
        try (Connection connection = sessions.primary(shard, As.OPERATOR, session)) {
            return work.with(connection);
        } catch (SQLException e) {
            throw PostgresSessions.failure(shard, doing, e);
        }
    }
}
