package io.shardwright.client.jdbc;

import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.pools.ShardTarget;
import io.shardwright.client.table.Flights;
import io.shardwright.client.table.RouteView;
import io.shardwright.routing.Route;
import io.shardwright.routing.ShardKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The physical connections of one session. A connection is kept for the next unit of work on the same shard, idle and
 * without a pinned table, so a logical connection that lives for hours delays no move.
 */
final class Leases {
    private static final System.Logger LOG = System.getLogger(Leases.class.getName());

    private final Router router;
    private final Map<ShardTarget, PoolSet.Lease> held = new HashMap<>();
    private final List<Attempt> open = new ArrayList<>();
    private final Map<String, Call> settings = new LinkedHashMap<>();

    Leases(Router router) {
        this.router = router;
    }

    /** A setting of the logical connection: applied to every physical one before its first statement. */
    void set(Call setting) throws SQLException {
        settings.put(setting.method().getName(), setting);
        for (PoolSet.Lease lease : held.values()) {
            setting.on(lease.connection());
        }
    }

    /** The value last set by this setter. */
    Optional<Object> get(String setter) {
        return Optional.ofNullable(settings.get(setter)).map(call -> call.arguments()[0]);
    }

    boolean readOnly() {
        return get("setReadOnly").map(Boolean.TRUE::equals).orElse(false);
    }

    /**
     * Takes a connection to the key's shard, then registers in flight and reads the table again: no table is pinned while a
     * pool is waited for, and nothing is sent by a route that a newer table has changed meanwhile.
     */
    Attempt attempt(ShardKey key, Hint hint) throws SQLException {
        for (; ; ) {
            RouteView believed = router.table().require();
            PoolSet.Lease lease = lease(target(believed, route(believed, key, hint)));
            Optional<Attempt> begun = begin(key, hint, lease);
            if (begun.isPresent()) {
                return begun.get();
            }
        }
    }

    /** Empty when the table now in force leads elsewhere than to the leased connection. */
    private Optional<Attempt> begin(ShardKey key, Hint hint, PoolSet.Lease lease) {
        Flights.Flight flight = router.flights().begin();
        boolean begun = false;
        try {
            Route route = route(flight.view(), key, hint);
            if (!target(flight.view(), route).equals(lease.target())) {
                return Optional.empty();
            }
            Attempt attempt = new Attempt(key, hint, flight, route, lease, router.load());
            open.add(attempt);
            begun = true;
            return Optional.of(attempt);
        } finally {
            if (!begun) {
                flight.close();
            }
        }
    }

    private Route route(RouteView view, ShardKey key, Hint hint) {
        return hint.correct(view.route(key, router.role()), view.table());
    }

    private ShardTarget target(RouteView view, Route route) {
        return view.target(route.shard(), router.applicationName())
                .orElseThrow(() -> new IllegalStateException("every owner is a shard of the table: " + route));
    }

    /** A connection to the key's shard with no unit of work on it. */
    Connection idle(ShardKey key) throws SQLException {
        Attempt attempt = attempt(key, Hint.NONE);
        end(attempt);
        return attempt.connection();
    }

    /** The attempt is no longer in flight. May be called twice. */
    void end(Attempt attempt) {
        if (open.remove(attempt)) {
            attempt.flight().close();
            dropIfDead(attempt.lease());
        }
    }

    /** Its connection is in an unknown state and serves no further unit of work. */
    void drop(Attempt attempt) {
        end(attempt);
        if (held.remove(attempt.lease().target(), attempt.lease())) {
            giveBack(attempt.lease());
        }
    }

    /** Gives every connection back; none that fails keeps another one, or decides what the application is told. */
    void close() {
        for (Attempt attempt : List.copyOf(open)) {
            end(attempt);
        }
        List<PoolSet.Lease> all = List.copyOf(held.values());
        held.clear();
        all.forEach(Leases::giveBack);
    }

    private PoolSet.Lease lease(ShardTarget target) throws SQLException {
        for (PoolSet.Lease other : List.copyOf(held.values())) {
            boolean busy = open.stream().anyMatch(attempt -> attempt.lease() == other);
            if (!other.target().equals(target) && !busy) {
                held.remove(other.target());
                giveBack(other);
            }
        }
        PoolSet.Lease known = held.get(target);
        if (known != null) {
            return known;
        }
        PoolSet.Lease taken = router.pools().lease(target);
        boolean ready = false;
        try {
            for (Call setting : settings.values()) {
                setting.on(taken.connection());
            }
            ready = true;
        } finally {
            if (!ready) {
                giveBack(taken);
            }
        }
        held.put(target, taken);
        return taken;
    }

    private void dropIfDead(PoolSet.Lease lease) {
        try {
            if (lease.connection().isClosed() && held.remove(lease.target(), lease)) {
                lease.close();
            }
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "a dead connection did not close", e);
        }
    }

    private static void giveBack(PoolSet.Lease lease) {
        try (lease) {
            Connection connection = lease.connection();
            if (!connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback(); // setAutoCommit alone would commit what a failed rollback has left open
                connection.setAutoCommit(true);
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a connection to " + lease.target() + " was given back with an error",
                    e);
        }
    }
}
