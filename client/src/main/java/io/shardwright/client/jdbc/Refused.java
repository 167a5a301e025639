package io.shardwright.client.jdbc;

import io.shardwright.client.table.RouteView;
import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.Route;

/**
 * A refusal and what led to it.
 *
 * @param route whose shard refused
 * @param view that was believed then
 */
record Refused(FenceRefusal by, Route route, RouteView view) {}
