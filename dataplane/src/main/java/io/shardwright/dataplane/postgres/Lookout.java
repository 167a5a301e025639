package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.dataplane.postgres.probe.ShardLook;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Looks at one shard again and again, and keeps its sessions in between: a shard that is looked at every two seconds would
 * otherwise see as many logins. They are given up after a minute, so that a login that is refused by now (a changed password,
 * an edited pg_hba.conf, an expired certificate) is found; the server ends them when no look comes.
 */
final class Lookout {
    /** How long a login is believed. */
    static final Duration KEPT = Duration.ofMinutes(1);
    /** Longest wait of the server for the next look. */
    static final Duration IDLE = Duration.ofSeconds(10);

    private static final int STILL_THERE_SECONDS = 2;

    private final PostgresSessions sessions;
    private final ShardAccess shard;
    private final InstantSource clock;
    private final Duration idle;
    private final Lock oneLook = new ReentrantLock();
    private final Map<Seat, Connection> kept = new ConcurrentHashMap<>();
    private volatile Instant since = Instant.MIN;
    private volatile Instant last;

    /** One login on one instance. */
    private record Seat(As as, Endpoint instance) {}

    /** @param idle longest wait of the server for the next look, usually {@link #IDLE} */
    Lookout(PostgresSessions sessions, ShardAccess shard, InstantSource clock, Duration idle) {
        this.sessions = sessions;
        this.shard = shard;
        this.clock = clock;
        this.idle = idle;
        last = clock.instant();
    }

    /** One look at a time: who comes meanwhile waits. */
    ShardSight look(ShardedSchema schema) {
        oneLook.lock();
        try {
            last = clock.instant();
            if (last.isAfter(since.plus(KEPT))) {
                giveUp();
                since = last;
            }
            return lookAt(PrimaryDiscovery.ask(shard, instance -> session(As.OPERATOR, instance)), schema);
        } catch (SQLException e) {
            giveUp();
            return ShardLook.blind(shard, List.of(SqlFailure.of(e).asProblem("look at the primary")));
        } catch (ShardException e) {
            giveUp();
            return ShardLook.blind(shard, List.of(new Problem(Problem.Kind.UNREACHABLE, e.getMessage())));
        } finally {
            oneLook.unlock();
        }
    }

    private ShardSight lookAt(PrimaryDiscovery discovery, ShardedSchema schema) throws SQLException, ShardException {
        if (!discovery.problems().isEmpty()) {
            return ShardLook.blind(shard, discovery.problems());
        }
        PrimaryDiscovery.Answer primary = discovery.primary();
        return new ShardLook(shard, schema, primary.session())
                .look(primary.instance(), moverProblems(primary.instance()));
    }

    /** A mover that cannot log in is found now, not in the middle of the first move. */
    private List<Problem> moverProblems(Endpoint primary) {
        try {
            session(As.MOVER, primary);
            return List.of();
        } catch (SQLException e) {
            return List.of(SqlFailure.of(e).asProblem("connect to " + primary + " as mover " + shard.mover()));
        }
    }

    /** The session of the last look when it still answers; else a new one. */
    private Connection session(As as, Endpoint instance) throws SQLException {
        Seat seat = new Seat(as, instance);
        Connection old = kept.get(seat);
        if (old != null) {
            if (old.isValid(STILL_THERE_SECONDS)) {
                return old;
            }
            kept.remove(seat);
            end(old);
        }
        Connection fresh = sessions.connect(shard, as, instance, Session.probe("shardwright/look"));
        kept.put(seat, fresh);
        endWhenIdle(fresh);
        return fresh;
    }

    private void endWhenIdle(Connection session) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute("SET idle_session_timeout = " + idle.toMillis());
        }
    }

    /** Something failed on this shard: the next look logs in again and sees for itself. */
    void doubt() {
        since = Instant.MIN;
    }

    /** Ends the sessions when nobody asked for a while (the shard left, or has another login), and says so. */
    boolean retire() {
        if (!clock.instant().isAfter(last.plus(KEPT)) || !oneLook.tryLock()) {
            return false;
        }
        try {
            giveUp();
            return true;
        } finally {
            oneLook.unlock();
        }
    }

    private void giveUp() {
        kept.values().forEach(Lookout::end);
        kept.clear();
    }

    private static void end(Connection session) {
        try {
            session.close();
        } catch (SQLException e) {
            // it is gone already, and nothing was open in it
        }
    }
}
