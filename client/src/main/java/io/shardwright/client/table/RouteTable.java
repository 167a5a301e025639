package io.shardwright.client.table;

import io.shardwright.client.errors.NoRoutingTableException;
import io.shardwright.routing.RoutingTable;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The one volatile reference to what the router believes. Readers take it once per unit of work. */
public final class RouteTable {
    private volatile RouteView view;

    /** Empty before the first table. */
    public Optional<RouteView> current() {
        return Optional.ofNullable(view);
    }

    /** @throws NoRoutingTableException before the first table */
    public RouteView require() {
        RouteView now = view;
        if (now == null) {
            throw new NoRoutingTableException("no routing table yet: neither feed nor mounted file nor last-known file "
                    + "had one; check the cluster's name, the feed and the operator");
        }
        return now;
    }

    synchronized void swap(RoutingTable table, String digest) {
        view = view == null ? new RouteView(table, digest) : view.withTable(table, digest);
        notifyAll();
    }

    /** Waits until what is believed differs from the given view, or the time is over; a wake-up for nothing is harmless. */
    public synchronized void awaitOther(RouteView seen, long millis) throws InterruptedException {
        if (view == seen) {
            wait(millis);
        }
    }

    synchronized void overlay(Map<Integer, RouteView.Owner> owners) {
        if (view != null) {
            view = view.withOwners(owners);
            notifyAll();
        }
    }

    /** Somebody vouches for the table again. */
    synchronized void trustPins() {
        if (view != null && !view.unpinned().isEmpty()) {
            view = new RouteView(view.table(), view.digest(), view.overlay(), Set.of());
        }
    }

    /** @param owned keys that this shard owns by rows of their own */
    synchronized void keysOf(String shard, Set<String> owned) {
        if (view != null) {
            view = view.withKeys(shard, owned);
            notifyAll();
        }
    }
}
