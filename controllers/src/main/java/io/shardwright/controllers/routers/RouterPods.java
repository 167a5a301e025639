package io.shardwright.controllers.routers;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pods of the namespaces that have a ShardCluster, one shared informer for each. A cache that has not synced, or that
 * has lost its watch, answers nothing: a pod that is not seen must never count as a pod that is not there.
 */
public final class RouterPods implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RouterPods.class);

    private final KubernetesClient client;
    private final AckStore acks;
    private final Map<String, SharedIndexInformer<Pod>> informers = new HashMap<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private boolean closed;

    public RouterPods(KubernetesClient client, AckStore acks) {
        this.client = client;
        this.acks = acks;
    }

    /** Called with a namespace whenever a pod in it begins or ceases to count. */
    public void onChange(Consumer<String> listener) {
        listeners.add(listener);
    }

    /** Empty while the cache cannot be trusted; the first call for a namespace starts its informer. */
    public Optional<List<RouterPod>> in(String namespace) {
        SharedIndexInformer<Pod> informer = informer(namespace);
        if (informer == null || !informer.hasSynced() || !informer.isWatching()) {
            return Optional.empty();
        }
        return Optional.of(
                informer.getStore().list().stream().map(RouterPod::of).toList());
    }

    /** Asks the API server for its newest state; for decisions that cannot be taken back. */
    public List<RouterPod> readNow(String namespace) {
        return client.pods().inNamespace(namespace).list().getItems().stream()
                .map(RouterPod::of)
                .toList();
    }

    private synchronized SharedIndexInformer<Pod> informer(String namespace) {
        if (closed) {
            return null;
        }
        return informers.computeIfAbsent(namespace, this::start);
    }

    private SharedIndexInformer<Pod> start(String namespace) {
        SharedIndexInformer<Pod> informer = client.pods().inNamespace(namespace).runnableInformer(0);
        informer.addEventHandler(new Events(namespace));
        informer.exceptionHandler((started, failure) -> {
            LOG.warn("watch of pods failed and is tried again: namespace={} cause={}", namespace, failure.toString());
            return true;
        });
        informer.start();
        return informer;
    }

    /** Stops watching a namespace that has no cluster any more. */
    public synchronized void forget(String namespace) {
        Optional.ofNullable(informers.remove(namespace)).ifPresent(SharedIndexInformer::stop);
    }

    @Override
    public synchronized void close() {
        closed = true;
        informers.values().forEach(SharedIndexInformer::stop);
        informers.clear();
    }

    private final class Events implements ResourceEventHandler<Pod> {
        private final String namespace;

        private Events(String namespace) {
            this.namespace = namespace;
        }

        @Override
        public void onAdd(Pod pod) {
            tell();
        }

        @Override
        public void onUpdate(Pod before, Pod after) {
            RouterPod old = RouterPod.of(before);
            RouterPod now = RouterPod.of(after);
            if (old.live() && !now.live()) {
                acks.departed(namespace, now.uid());
            }
            if (!old.equals(now)) {
                tell();
            }
        }

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {
            acks.departed(namespace, pod.getMetadata().getUid());
            tell();
        }

        private void tell() {
            listeners.forEach(listener -> listener.accept(namespace));
        }
    }
}
