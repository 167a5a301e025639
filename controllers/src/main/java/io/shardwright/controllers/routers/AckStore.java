package io.shardwright.controllers.routers;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.routing.Acknowledgement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * What routers said, in memory and nowhere else: a new leader starts with nothing and waits until it has heard everybody,
 * so a change of leader can lengthen a wait but never end one. Thread-safe; callers have authenticated the router.
 */
public final class AckStore {
    private final Map<ResourceID, ClusterAcks> clusters = new ConcurrentHashMap<>();
    private final List<Consumer<ResourceID>> listeners = new CopyOnWriteArrayList<>();
    private final LoadBook loads = new LoadBook();

    /**
     * Takes an acknowledgement unless it is older than what the same process said before, or comes from a boot that a newer
     * one has replaced.
     *
     * @param nowNanos monotonic time of its arrival
     * @return false when it was dropped as old
     */
    public boolean accept(String namespace, String cluster, Acknowledgement ack, long nowNanos) {
        ResourceID id = new ResourceID(cluster, namespace);
        ClusterAcks.Outcome outcome =
                clusters.computeIfAbsent(id, any -> new ClusterAcks()).accept(ack, nowNanos);
        if (outcome == ClusterAcks.Outcome.NEWS) {
            listeners.forEach(listener -> listener.accept(id));
        }
        if (outcome == ClusterAcks.Outcome.DROPPED) {
            return false;
        }
        loads.note(id, ack, nowNanos);
        return true;
    }

    /** Called with the cluster after an acknowledgement that changes what a gate may say. */
    public void onNews(Consumer<ResourceID> listener) {
        listeners.add(listener);
    }

    /** What they asked of their shards. */
    public LoadBook loads() {
        return loads;
    }

    public HeardAcks heard(ResourceID cluster) {
        ClusterAcks acks = clusters.get(cluster);
        return acks == null ? HeardAcks.NONE : acks.heard();
    }

    /** The pod of this instance is gone: what it said counts no more. Whoever goes on speaking for it holds every gate. */
    void departed(String namespace, String instance) {
        clusters.forEach((cluster, acks) -> {
            if (cluster.getNamespace().orElse("").equals(namespace) && acks.depart(instance)) {
                listeners.forEach(listener -> listener.accept(cluster));
            }
        });
    }

    public void forget(ResourceID cluster) {
        clusters.remove(cluster);
        loads.forget(cluster);
    }
}
