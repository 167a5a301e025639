package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.Shards;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.dataplane.postgres.fence.Adoption;
import io.shardwright.dataplane.postgres.fence.AppendedTables;
import io.shardwright.dataplane.postgres.fence.Arming;
import io.shardwright.dataplane.postgres.fence.FenceInstallation;
import io.shardwright.dataplane.postgres.fence.Release;
import io.shardwright.dataplane.postgres.probe.PlacementScan;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;

/** {@link Shards} on PostgreSQL. Thread-safe; a session per call, but for looks, which keep theirs. */
public final class PostgresShards implements Shards {
    private static final Duration SCAN_LIMIT = Duration.ofMinutes(10);

    private final PostgresSessions sessions;
    private final InstantSource clock;
    private final Map<ShardAccess, Lookout> lookouts = new ConcurrentHashMap<>();

    public PostgresShards(PostgresSessions sessions) {
        this(sessions, InstantSource.system());
    }

    PostgresShards(PostgresSessions sessions, InstantSource clock) {
        this.sessions = sessions;
        this.clock = clock;
    }

    @Override
    public int fenceVersion() {
        return FenceInstallation.VERSION;
    }

    @Override
    public ShardSight look(ShardAccess shard, ShardedSchema schema) {
        lookouts.values().removeIf(Lookout::retire);
        return lookouts.computeIfAbsent(shard, access -> new Lookout(sessions, access, clock, Lookout.IDLE))
                .look(schema);
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
            doubt(shard);
            throw PostgresSessions.failure(shard, doing, e);
        } catch (ShardException e) {
            doubt(shard);
            throw e;
        }
    }

    private void doubt(ShardAccess shard) {
        Optional.ofNullable(lookouts.get(shard)).ifPresent(Lookout::doubt);
    }
}
