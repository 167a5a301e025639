package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.planning.acks.AckCount;
import io.shardwright.planning.acks.AckGate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Since when the acknowledgements of a cluster's newest table are awaited. Routers that read a table which was published a
 * moment ago hold nobody; one that is still missing when a silent one would be called silent is named.
 */
final class AckDelay {
    private final LongSupplier nanos;
    private final Map<ResourceID, Long> closedSince = new ConcurrentHashMap<>();

    AckDelay(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Who holds the gate that has been closed for too long without a break; at most ten and a count. */
    List<AckGate.Holder> overdue(ResourceID cluster, Optional<AckGate> gate) {
        if (gate.filter(AckGate::known).isEmpty() || gate.get().open()) {
            forget(cluster);
            return List.of();
        }
        long now = nanos.getAsLong();
        long since = closedSince.computeIfAbsent(cluster, any -> now);
        return now - since >= AckCount.SILENT_AFTER.toNanos() ? gate.get().holding() : List.of();
    }

    void forget(ResourceID cluster) {
        closedSince.remove(cluster);
    }
}
