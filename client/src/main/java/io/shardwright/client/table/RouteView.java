package io.shardwright.client.table;

import io.shardwright.client.pools.ShardTarget;
import io.shardwright.routing.Role;
import io.shardwright.routing.Route;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.TableOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table and what the fences said beyond it. Immutable; a unit of work reads it once.
 *
 * @param digest of the document that the table came in
 * @param overlay owners by fence rows of a higher epoch than the table's, by bucket; empty unless the router was cut off
 */
public record RouteView(RoutingTable table, String digest, Map<Integer, Owner> overlay) {
    /** @param confirmed the owner itself said so; else another shard pointed to it */
    public record Owner(String shard, long epoch, boolean confirmed) {
        boolean beats(Owner other) {
            return other == null || epoch > other.epoch || epoch == other.epoch && confirmed && !other.confirmed;
        }
    }

    public RouteView {
        overlay = Map.copyOf(overlay);
    }

    public TableOrder order() {
        return table.order();
    }

    /** The table's answer, unless a fence row of a higher epoch names another owner. Pins are not overlaid. */
    public Route route(ShardKey key, Role role) {
        Route route = table.route(key, role);
        Owner owner = overlay.get(route.bucket());
        if (owner == null || route.rule() == Route.Rule.PIN || owner.epoch() <= route.epoch()) {
            return route;
        }
        return new Route(owner.shard(), route.bucket(), owner.epoch(), Route.Rule.FENCE);
    }

    /** Empty when the table does not know the shard. */
    public Optional<ShardTarget> target(String shard, String applicationName) {
        ShardEntry entry = table.shards().get(shard);
        return Optional.ofNullable(entry)
                .map(known -> new ShardTarget(shard, known.host(), known.port(), applicationName));
    }

    public List<ShardTarget> targets(String applicationName) {
        return table.shards().keySet().stream()
                .flatMap(shard -> target(shard, applicationName).stream())
                .toList();
    }

    /** The same overlay on a newer table, without what the table has caught up with. */
    RouteView withTable(RoutingTable next, String nextDigest) {
        return new RouteView(next, nextDigest, newerThan(next, overlay));
    }

    RouteView withOwners(Map<Integer, Owner> found) {
        Map<Integer, Owner> merged = new HashMap<>(overlay);
        found.forEach((bucket, owner) -> {
            if (table.shards().containsKey(owner.shard()) && owner.beats(merged.get(bucket))) {
                merged.put(bucket, owner);
            }
        });
        return new RouteView(table, digest, newerThan(table, merged));
    }

    private static Map<Integer, Owner> newerThan(RoutingTable table, Map<Integer, Owner> owners) {
        Map<Integer, Owner> newer = new HashMap<>(owners);
        newer.entrySet()
                .removeIf(entry -> entry.getKey() >= table.bucketing().buckets()
                        || entry.getValue().epoch() <= table.epochs().get(entry.getKey()));
        return newer;
    }
}
