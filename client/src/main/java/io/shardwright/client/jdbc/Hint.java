package io.shardwright.client.jdbc;

import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Route;
import io.shardwright.routing.RoutingTable;

/**
 * What the refusal of the attempt before says to the next one, and to no other.
 *
 * @param refusal null when there was none
 */
record Hint(FenceRefusal refusal) {
    static final Hint NONE = new Hint(null);

    boolean isNone() {
        return refusal == null;
    }

    /** Whether a mover was draining the bucket: entering it first waits for that mover. */
    boolean isDraining() {
        return refusal != null && refusal.state() == FenceState.DRAINING;
    }

    /** Whether it names an owner that the table can reach. */
    boolean namesOwner(RoutingTable table) {
        return refusal != null
                && refusal.state() == FenceState.MOVED
                && refusal.owner() != null
                && table.shards().containsKey(refusal.owner());
    }

    /** The route, unless the hint is about its bucket and knows better; an epoch that is not higher is ignored. */
    Route correct(Route route, RoutingTable table) {
        boolean better = namesOwner(table) && refusal.bucket() == route.bucket() && refusal.epoch() > route.epoch();
        return better ? new Route(refusal.owner(), route.bucket(), refusal.epoch(), Route.Rule.FENCE) : route;
    }
}
