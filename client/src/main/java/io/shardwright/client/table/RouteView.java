package io.shardwright.client.table;

import io.shardwright.client.pools.ShardTarget;
import io.shardwright.routing.Role;
import io.shardwright.routing.Route;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.TableOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A table and what the fences said beyond it. Immutable; a unit of work reads it once.
 *
 * @param digest of the document that the table came in
 * @param overlay owners by fence rows of a higher epoch than the table's, by bucket; empty unless the router was cut off
 * @param unpinned pinned keys that the fence of their shard did not have when it was asked; empty unless the router was cut off
 */
public record RouteView(RoutingTable table, String digest, Map<Integer, Owner> overlay, Set<String> unpinned) {
    RouteView(RoutingTable table, String digest) {
        this(table, digest, Map.of(), Set.of());
    }

    /** @param confirmed the owner itself said so; else another shard pointed to it */
    public record Owner(String shard, long epoch, boolean confirmed) {
        boolean beats(Owner other) {
            return other == null || epoch > other.epoch || epoch == other.epoch && confirmed && !other.confirmed;
        }
    }

    public RouteView {
        overlay = Map.copyOf(overlay);
        unpinned = Set.copyOf(unpinned);
    }

    public TableOrder order() {
        return table.order();
    }

    /**
     * The table's answer, unless a fence row of a higher epoch names another owner. A key goes where its pin or its own handover
     * leads, whatever became of its bucket; one whose pin the fence of its shard did not know goes with its bucket, as a pin still:
     * nobody has said that it arrived there.
     */
    public Route route(ShardKey key, Role role) {
        Route route = table.route(key, role);
        if (isOfKey(route, key)) {
            return route.rule() == Route.Rule.PIN && unpinned.contains(key.text()) ? withBucket(route) : route;
        }
        Owner owner = overlay.get(route.bucket());
        return owner == null || owner.epoch() <= route.epoch()
                ? route
                : new Route(owner.shard(), route.bucket(), owner.epoch(), Route.Rule.FENCE);
    }

    private boolean isOfKey(Route route, ShardKey key) {
        return route.rule() == Route.Rule.PIN
                || route.rule() == Route.Rule.HANDOVER
                        && table.handovers().stream()
                                .anyMatch(handover ->
                                        handover.scopes().containsKey(Scope.key(key.text(), route.bucket())));
    }

    private Route withBucket(Route pin) {
        Owner owner = overlay.get(pin.bucket());
        String shard = owner == null ? table.bucketMap().get(pin.bucket()) : owner.shard();
        return new Route(shard, pin.bucket(), 0, Route.Rule.PIN);
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
        return new RouteView(next, nextDigest, newerThan(next, overlay), Set.of());
    }

    RouteView withOwners(Map<Integer, Owner> found) {
        Map<Integer, Owner> merged = new HashMap<>(overlay);
        found.forEach((bucket, owner) -> {
            if (table.shards().containsKey(owner.shard()) && owner.beats(merged.get(bucket))) {
                merged.put(bucket, owner);
            }
        });
        return new RouteView(table, digest, newerThan(table, merged), unpinned);
    }

    /** @param owned keys that this shard owns by rows of their own */
    RouteView withKeys(String shard, Set<String> owned) {
        Set<String> next = new HashSet<>(unpinned);
        table.pins().forEach((key, pinned) -> {
            if (pinned.equals(shard) && !owned.contains(key)) {
                next.add(key);
            } else if (pinned.equals(shard)) {
                next.remove(key);
            }
        });
        return new RouteView(table, digest, overlay, next);
    }

    private static Map<Integer, Owner> newerThan(RoutingTable table, Map<Integer, Owner> owners) {
        Map<Integer, Owner> newer = new HashMap<>(owners);
        newer.entrySet()
                .removeIf(entry -> entry.getKey() >= table.bucketing().buckets()
                        || entry.getValue().epoch() <= table.epochs().get(entry.getKey()));
        return newer;
    }
}
