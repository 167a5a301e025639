package io.shardwright.controllers.routers;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.planning.hotkeys.ProcessReports;
import io.shardwright.routing.Acknowledgement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What routers have reported of their load, in memory and nowhere else: a new leader knows nothing until a window has passed.
 * Nothing is kept of a cluster before somebody has asked to keep it. Thread-safe.
 */
public final class LoadBook {
    private final Map<ResourceID, ClusterLoads> clusters = new ConcurrentHashMap<>();

    /** Slices of this age are kept from now on. */
    public void keep(ResourceID cluster, Duration reach) {
        clusters.computeIfAbsent(cluster, any -> new ClusterLoads()).keep(reach);
    }

    public void forget(ResourceID cluster) {
        clusters.remove(cluster);
    }

    void note(ResourceID cluster, Acknowledgement ack, long nowNanos) {
        ClusterLoads loads = clusters.get(cluster);
        if (loads != null && ack.load() != null) {
            loads.note(ack, nowNanos);
        }
    }

    /** The reports of all processes; a live one that has reported nothing is among them with nothing. */
    public List<ProcessReports> reports(ResourceID cluster, HeardAcks heard, long nowNanos) {
        ClusterLoads loads = clusters.get(cluster);
        return loads == null ? List.of() : loads.reports(heard, nowNanos);
    }
}
