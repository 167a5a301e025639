package io.shardwright.planning.acks;

import io.shardwright.routing.Role;
import java.util.List;
import java.util.Map;

/**
 * Who has acknowledged a revision. Silence is never consent: only {@link #open()} lets a move go on.
 *
 * @param live live instances by role
 * @param acked those of them that acknowledged
 * @param holding who holds the gate and what to do about it; at most {@value #MAX_NAMES} names, then a count
 * @param known false while the pods or acknowledgements cannot be trusted (informer not synced, fresh leader)
 */
public record AckGate(Map<Role, Integer> live, Map<Role, Integer> acked, List<Holder> holding, boolean known) {
    public static final int MAX_NAMES = 10;

    public AckGate {
        live = Map.copyOf(live);
        acked = Map.copyOf(acked);
        holding = List.copyOf(holding);
    }

    public static AckGate unknown(String why) {
        return new AckGate(Map.of(), Map.of(), List.of(new Holder("routers", why)), false);
    }

    public boolean open() {
        return known && holding.isEmpty();
    }

    /**
     * One that holds the gate.
     *
     * @param name the instance with its role: "orders-web-7 (web)"
     * @param reason what was seen and what to do: "silent for over 30 s: delete the pod or wait until it answers"
     */
    public record Holder(String name, String reason) {
        @Override
        public String toString() {
            return name + " " + reason;
        }
    }

    /** All holders in one line, or that nobody holds. */
    public String story() {
        if (holding.isEmpty()) {
            return known ? "all live routers have acknowledged" : "nothing is known of the routers";
        }
        return String.join("; ", holding.stream().map(Holder::toString).toList());
    }
}
