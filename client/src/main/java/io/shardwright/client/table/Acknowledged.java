package io.shardwright.client.table;

import io.shardwright.client.load.LoadMeter;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import io.shardwright.routing.TableOrder;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * What may be acknowledged at this moment. The order of reading is the guarantee: the view first, then the reason of a
 * refusal and the work in flight, so nothing is claimed that was not true after the view came into force.
 */
public final class Acknowledged implements Supplier<Acknowledgement> {
    /** Longest reason of a refusal that is sent, in characters; the contract allows 2,048. */
    private static final int LONGEST_NACK = 1_000;

    private static final String CLIENT = "shardwright-java/0.1";

    private final String instance;
    private final String pod;
    private final String process;
    private final Role role;
    private final RouteTable table;
    private final Flights flights;
    private final TableIntake intake;
    private final LoadMeter load;
    private final String boot = UUID.randomUUID().toString();
    private long sequence;

    public Acknowledged(
            String instance,
            String pod,
            String process,
            Role role,
            RouteTable table,
            Flights flights,
            TableIntake intake,
            LoadMeter load) {
        this.instance = instance;
        this.pod = pod;
        this.process = process;
        this.role = role;
        this.table = table;
        this.flights = flights;
        this.intake = intake;
        this.load = load;
    }

    @Override
    public synchronized Acknowledgement get() {
        RouteView view = table.current().orElse(null);
        TableOrder order = view == null ? new TableOrder(0, 0, 0) : view.order();
        TableOrder oldest = flights.oldest(order);
        return new Acknowledgement(
                instance,
                boot,
                pod,
                role,
                ++sequence,
                process,
                order.incarnation(),
                order.revision(),
                order.generation(),
                oldest.incarnation() == order.incarnation() ? oldest.revision() : 0,
                view == null ? "" : view.digest(),
                intake.nack()
                        .map(reason -> reason.substring(0, Math.min(reason.length(), LONGEST_NACK)))
                        .orElse(null),
                CLIENT,
                load.newest());
    }
}
