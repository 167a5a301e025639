package io.shardwright.controllers.routing;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.resources.TableResources;
import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the ConfigMaps that pods mount, each by its name, because the operator has no right to any other. Without the right
 * to watch one it asks again, less and less often (the informer's own back-off): a Role that is corrected is all it takes.
 */
final class MirrorWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorWatch.class);

    private final KubernetesClient client;
    private final BiConsumer<ResourceID, ConfigMap> seen;
    private final Map<ResourceID, SharedIndexInformer<ConfigMap>> informers = new HashMap<>();
    private boolean closed;

    /** @param seen told of each change of a copy: the cluster, and the copy as it is, null when it is gone */
    MirrorWatch(KubernetesClient client, BiConsumer<ResourceID, ConfigMap> seen) {
        this.client = client;
        this.seen = seen;
    }

    /** From now on; repeating it costs nothing. */
    synchronized void watch(ResourceID cluster) {
        if (!closed) {
            informers.computeIfAbsent(cluster, this::start);
        }
    }

    private SharedIndexInformer<ConfigMap> start(ResourceID cluster) {
        SharedIndexInformer<ConfigMap> informer = client.configMaps()
                .inNamespace(cluster.getNamespace().orElseThrow())
                .withName(TableResources.configMapName(cluster.getName()))
                .runnableInformer(0);
        informer.addEventHandler(new Events(cluster));
        informer.exceptionHandler((started, failure) -> {
            tell(cluster, failure);
            return true;
        });
        informer.start();
        return informer;
    }

    private static void tell(ResourceID cluster, Throwable failure) {
        boolean forbidden = Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause -> cause instanceof KubernetesClientException api
                        && api.getCode() == HttpURLConnection.HTTP_FORBIDDEN);
        LOG.warn(
                "the copy of a table cannot be watched and is tried again: cluster={} cause={} {}",
                cluster,
                failure.toString(),
                forbidden ? "(add list and watch on it to the Role beside the ShardCluster)" : "");
    }

    synchronized void forget(ResourceID cluster) {
        Optional.ofNullable(informers.remove(cluster)).ifPresent(SharedIndexInformer::stop);
    }

    @Override
    public synchronized void close() {
        closed = true;
        informers.values().forEach(SharedIndexInformer::stop);
        informers.clear();
    }

    private final class Events implements ResourceEventHandler<ConfigMap> {
        private final ResourceID cluster;

        private Events(ResourceID cluster) {
            this.cluster = cluster;
        }

        /** It was deleted while nobody watched. */
        @Override
        public void onNothing() {
            seen.accept(cluster, null);
        }

        @Override
        public void onAdd(ConfigMap copy) {
            seen.accept(cluster, copy);
        }

        @Override
        public void onUpdate(ConfigMap before, ConfigMap copy) {
            seen.accept(cluster, copy);
        }

        @Override
        public void onDelete(ConfigMap copy, boolean finalStateUnknown) {
            seen.accept(cluster, null);
        }
    }
}
