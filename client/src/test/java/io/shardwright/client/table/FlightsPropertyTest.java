package io.shardwright.client.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.client.load.LoadMeter;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** T5 over random histories; each try has a router of its own. */
class FlightsPropertyTest {
    private final RouteTable table = new RouteTable();
    private final Flights flights = new Flights(table::require, () -> {});
    private final TableIntake intake = new TableIntake(
            "orders",
            "app",
            table,
            new PoolSet(target -> {
                throw new AssertionError("no table here has a handover");
            }),
            null,
            () -> {});
    private final Acknowledged acknowledged =
            new Acknowledged("uid", "pod", "p0", Role.WEB, table, flights, intake, new LoadMeter(() -> 0));

    private void offer(long revision) {
        intake.offer(Tables.document(revision), "test");
    }

    /** Any order of begins, ends and tables: the acknowledged oldest is exactly the lowest one open. */
    @Property(tries = 300)
    void theOldestIsTheLowestRevisionOpen(@ForAll @Size(max = 40) List<@IntRange(min = 0, max = 9) Integer> history) {
        FlightsPropertyTest world = new FlightsPropertyTest();
        world.offer(1);
        long revision = 1;
        List<Flights.Flight> open = new ArrayList<>();
        for (int step : history) {
            if (step < 4) {
                open.add(world.flights.begin());
            } else if (step < 7 && !open.isEmpty()) {
                open.remove(step % open.size()).close();
            } else {
                world.offer(++revision);
            }
            long lowest = open.stream()
                    .mapToLong(flight -> flight.view().order().revision())
                    .min()
                    .orElse(revision);
            Acknowledgement ack = world.acknowledged.get();
            assertThat(ack.appliedRevision()).isEqualTo(revision);
            assertThat(ack.inFlightOldest()).isEqualTo(lowest);
        }
    }
}
