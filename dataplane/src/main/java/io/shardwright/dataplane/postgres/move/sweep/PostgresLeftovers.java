package io.shardwright.dataplane.postgres.move.sweep;

import io.shardwright.dataplane.Leftovers;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardTraces;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.SweepOrder;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.random.RandomGenerator;

/** {@link Leftovers} on PostgreSQL. Thread-safe; sessions per call. */
public final class PostgresLeftovers implements Leftovers {
    private final PostgresSessions sessions;
    private final StepBoundary boundary;
    private final RandomGenerator random;

    /** @param random makes tokens, see {@link io.shardwright.dataplane.postgres.move.PostgresMovers} */
    public PostgresLeftovers(PostgresSessions sessions, StepBoundary boundary, RandomGenerator random) {
        this.sessions = sessions;
        this.boundary = boundary;
        this.random = random;
    }

    @Override
    public ShardTraces look(ShardAccess shard) throws ShardException {
        try (Connection connection =
                sessions.primary(shard, PostgresSessions.As.MOVER, Session.probe("shardwright/look"))) {
            return new TraceReader(connection).read();
        } catch (SQLException e) {
            throw PostgresSessions.failure(shard, "look for leftovers of moves", e);
        }
    }

    @Override
    public void sweep(ShardAccess shard, ShardedSchema schema, SweepOrder order) throws ShardException {
        try (Incarnation incarnation = new Incarnation(alone(shard, schema, order), sessions, boundary, random)) {
            new TraceSweep(incarnation, order).run();
        } catch (MoverFault e) {
            throw new ShardException(
                    e.getMessage() + ": " + e.failure().nextAction(),
                    !e.failure().curable(),
                    e);
        }
    }

    /** The other end may be gone. */
    private static MoveTask alone(ShardAccess shard, ShardedSchema schema, SweepOrder order) {
        MoveTask.Limits defaults = MoveTask.Limits.defaults();
        MoveTask.Limits limits = new MoveTask.Limits(
                defaults.writeHoldBudget(),
                defaults.drainTimeout(),
                defaults.pauseMax(),
                defaults.lagGateBytes(),
                defaults.switchGroup(),
                order.acceptAsyncStandby());
        return new MoveTask(
                order.seen().move(),
                "",
                shard,
                shard,
                schema,
                Scope.buckets(order.seen().rows()),
                limits);
    }
}
