package io.shardwright.planning.acks;

import io.shardwright.routing.Role;
import java.util.List;
import java.util.Map;

/**
 * Who has acknowledged a revision. Silence is never consent: only {@link #open()} lets a move go on.
 *
 * @param live live instances by role
 * @param acked those of them that acknowledged
 * @param holding who holds the gate, with the reason: "orders-web-7 (web): silent for 42 s"; at most ten, then a count
 * @param known false while the pods or acknowledgements cannot be trusted (informer not synced, fresh leader)
 */
public record AckGate(Map<Role, Integer> live, Map<Role, Integer> acked, List<String> holding, boolean known) {
    public AckGate {
        live = Map.copyOf(live);
        acked = Map.copyOf(acked);
        holding = List.copyOf(holding);
    }

    public static AckGate unknown(String why) {
        return new AckGate(Map.of(), Map.of(), List.of(why), false);
    }

    public boolean open() {
        return known && holding.isEmpty();
    }
}
