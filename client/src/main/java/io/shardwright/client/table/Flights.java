package io.shardwright.client.table;

import io.shardwright.routing.TableOrder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Work in flight, with the table that routed it. The order of steps is the guarantee: a flight is registered with the
 * order of a view, and only then is the view looked at again; whoever swaps the table first swaps and then looks at the
 * flights. So either the swapper sees the flight, or the flight sees the new table.
 */
public final class Flights {
    private final Supplier<RouteView> current;
    private final Runnable oldestLanded;
    private final Set<Flight> open = ConcurrentHashMap.newKeySet();

    /**
     * @param current what is believed now; throws when there is no table
     * @param oldestLanded told when a flight of an older table than the current one has ended
     */
    public Flights(Supplier<RouteView> current, Runnable oldestLanded) {
        this.current = current;
        this.oldestLanded = oldestLanded;
    }

    /** Pins the current view until {@link Flight#close()}. */
    public Flight begin() {
        RouteView view = current.get();
        Flight flight = new Flight(view);
        open.add(flight);
        for (RouteView now = current.get(); now != flight.view; now = current.get()) {
            flight.view = now;
        }
        return flight;
    }

    /** The lowest order that work in flight was routed by; the given one when none is older. */
    public TableOrder oldest(TableOrder newest) {
        TableOrder oldest = newest;
        for (Flight flight : open) {
            TableOrder order = flight.view.order();
            oldest = order.compareTo(oldest) < 0 ? order : oldest;
        }
        return oldest;
    }

    /** A unit of work in flight. */
    public final class Flight implements AutoCloseable {
        private volatile RouteView view;

        private Flight(RouteView view) {
            this.view = view;
        }

        public RouteView view() {
            return view;
        }

        /** May be called twice. */
        @Override
        public void close() {
            if (open.remove(this) && view.order().compareTo(current.get().order()) < 0) {
                oldestLanded.run();
            }
        }
    }
}
