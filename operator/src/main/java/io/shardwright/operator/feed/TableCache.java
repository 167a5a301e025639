package io.shardwright.operator.feed;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.operator.ClusterKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * The newest routing table of each cluster, kept by a watch. What it has it keeps while the API server is away. A cluster's
 * document never goes back in order, although a list read from an old cache may; only its deletion lets it start anew.
 */
public final class TableCache {
    private static final Logger LOG = Logger.getLogger(TableCache.class);

    private final SharedIndexInformer<RoutingTable> informer;
    private final Function<RoutingTable, io.shardwright.routing.RoutingTable> reading;
    private final Map<ClusterKey, TableDocument> documents = new ConcurrentHashMap<>();
    private final List<BiConsumer<ClusterKey, TableDocument>> listeners = new CopyOnWriteArrayList<>();

    /** @param reading makes the table of the contract out of the stored object, or throws IllegalArgumentException */
    public TableCache(KubernetesClient client, Function<RoutingTable, io.shardwright.routing.RoutingTable> reading) {
        this.reading = reading;
        this.informer = client.resources(RoutingTable.class).inAnyNamespace().runnableInformer(0);
        informer.exceptionHandler((started, failure) -> {
            LOG.warnf("routing tables are not watched, trying again: cause=%s", failure);
            return true;
        });
        informer.addEventHandler(new Events());
    }

    /** Returns at once; the cache fills as soon as the API server answers. */
    public void start() {
        informer.start();
    }

    public void stop() {
        informer.stop();
    }

    /** True from the first complete list on: what is not here then was not there. */
    public boolean synced() {
        return informer.hasSynced();
    }

    /** Whether the watch is open now. */
    public boolean watching() {
        return informer.isWatching();
    }

    public Optional<TableDocument> newest(ClusterKey cluster) {
        return Optional.ofNullable(documents.get(cluster));
    }

    /** Called with each new document, on the thread of the watch: must return at once. */
    public void onNew(BiConsumer<ClusterKey, TableDocument> listener) {
        listeners.add(listener);
    }

    private static ClusterKey key(RoutingTable stored) {
        return new ClusterKey(
                stored.getMetadata().getNamespace(), stored.getMetadata().getName());
    }

    private void take(RoutingTable stored) {
        ClusterKey cluster = key(stored);
        try {
            TableDocument document = TableDocument.of(reading.apply(stored));
            TableDocument kept = documents.merge(
                    cluster, document, (old, fresh) -> fresh.order().compareTo(old.order()) > 0 ? fresh : old);
            if (kept == document) {
                listeners.forEach(listener -> listener.accept(cluster, document));
            }
        } catch (IllegalArgumentException e) {
            LOG.errorf(
                    "a stored routing table cannot be read, the last good one stays: cluster=%s cause=%s", cluster, e);
        }
    }

    private final class Events implements ResourceEventHandler<RoutingTable> {
        @Override
        public void onAdd(RoutingTable stored) {
            take(stored);
        }

        @Override
        public void onUpdate(RoutingTable before, RoutingTable stored) {
            take(stored);
        }

        @Override
        public void onDelete(RoutingTable stored, boolean finalStateUnknown) {
            documents.remove(key(stored));
        }
    }
}
