package io.shardwright.client.table;

import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.pools.ShardTarget;
import io.shardwright.routing.FenceState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Asks the fence of each shard's primary while the router is cut off, and lays rows of a higher epoch over the table. One
 * that cannot be asked teaches nothing: reads there start to check for themselves.
 */
public final class FenceWatch {
    private static final System.Logger LOG = System.getLogger(FenceWatch.class.getName());
    private static final int TIMEOUT_SECONDS = 3;
    private static final String KEY = "k:";
    private static final String ROWS = """
        SELECT primary_.here, f.scope, f.bucket, f.state, f.epoch, f.owner
        FROM (SELECT NOT pg_is_in_recovery() AS here) AS primary_
        LEFT JOIN shardwright.fence AS f ON true\
        """;

    private final String applicationName;
    private final RouteTable table;
    private final PoolSet pools;
    private final Contact contact;

    public FenceWatch(String applicationName, RouteTable table, PoolSet pools, Contact contact) {
        this.applicationName = applicationName;
        this.table = table;
        this.pools = pools;
        this.contact = contact;
    }

    /** One round over all shards, when the router is cut off; a dead shard costs a few seconds. */
    public void look() {
        if (contact.cutOff()) {
            table.current().ifPresent(view -> view.targets(applicationName).forEach(this::ask));
        } else {
            table.trustPins();
        }
    }

    private void ask(ShardTarget target) {
        try (PoolSet.Lease lease = pools.lease(target);
                Statement statement = lease.connection().createStatement()) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            try (ResultSet rows = statement.executeQuery(ROWS)) {
                Map<Integer, RouteView.Owner> owners = new HashMap<>();
                Set<String> keys = new HashSet<>();
                boolean hasKeys = false;
                boolean primary = false;
                while (rows.next()) {
                    primary = rows.getBoolean("here");
                    String scope = rows.getString("scope");
                    if (scope != null && scope.startsWith(KEY)) {
                        hasKeys = true;
                        if (FenceState.OWNED.name().equals(rows.getString("state"))) {
                            keys.add(scope.substring(KEY.length()));
                        }
                    } else {
                        owner(target.shard(), rows).forEach(owners::put);
                    }
                }
                if (primary) {
                    table.overlay(owners);
                    table.keysOf(target.shard(), keys);
                    contact.polled(target.shard(), hasKeys);
                }
            }
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.WARNING, "the fence of {0} cannot be read: {1}", target, e.getMessage());
        }
    }

    private static Map<Integer, RouteView.Owner> owner(String shard, ResultSet row) throws SQLException {
        String state = row.getString("state");
        if (FenceState.OWNED.name().equals(state)) {
            return Map.of(row.getInt("bucket"), new RouteView.Owner(shard, row.getLong("epoch"), true));
        }
        if (FenceState.MOVED.name().equals(state) && row.getString("owner") != null) {
            return Map.of(
                    row.getInt("bucket"), new RouteView.Owner(row.getString("owner"), row.getLong("epoch"), false));
        }
        return Map.of();
    }
}
