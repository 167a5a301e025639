package io.shardwright.client.jdbc;

import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Route;
import io.shardwright.routing.RoutingTable;
import java.util.HashMap;
import java.util.Map;

/**
 * What the refusals of one call say to its next attempt, and to no other call. The last refusal says how to go on; the
 * owners that were named stay, because a target that is still importing names nobody, and by the old table the next attempt
 * would go back to the source. Only one whose buckets are about to come back to it knows who owns them till then.
 *
 * @param refusal the last one, null when there was none
 * @param owners by bucket, the refusal of the highest epoch that names another owner: epochs only grow, so a lower one is older news
 */
record Hint(FenceRefusal refusal, Map<Integer, FenceRefusal> owners) {
    static final Hint NONE = new Hint(null, Map.of());

    Hint {
        owners = Map.copyOf(owners);
    }

    /**
     * This, and what one more refusal says.
     *
     * @param shard that refused
     */
    Hint then(String shard, FenceRefusal next) {
        if (!namesOwner(shard, next)) {
            return new Hint(next, owners);
        }
        Map<Integer, FenceRefusal> known = new HashMap<>(owners);
        known.merge(next.bucket(), next, (before, now) -> now.epoch() > before.epoch() ? now : before);
        return new Hint(next, known);
    }

    private static boolean namesOwner(String shard, FenceRefusal refusal) {
        return refusal.owner() != null
                && (refusal.state() == FenceState.MOVED
                        || refusal.state() == FenceState.IMPORTING
                                && !refusal.owner().equals(shard));
    }

    boolean isNone() {
        return refusal == null;
    }

    /** Whether a mover was draining the bucket: entering it first waits for that mover. */
    boolean isDraining() {
        return refusal != null && refusal.state() == FenceState.DRAINING;
    }

    /** Whether the next attempt goes to another shard than the one that refused by this route. */
    boolean leadsElsewhere(Route refused, RoutingTable table) {
        return !correct(refused, table).shard().equals(refused.shard());
    }

    /** The route, unless an owner of its bucket is known better; an epoch that is not higher is ignored. */
    Route correct(Route route, RoutingTable table) {
        FenceRefusal moved = owners.get(route.bucket());
        boolean better =
                moved != null && moved.epoch() > route.epoch() && table.shards().containsKey(moved.owner());
        return better ? new Route(moved.owner(), route.bucket(), moved.epoch(), Route.Rule.FENCE) : route;
    }
}
