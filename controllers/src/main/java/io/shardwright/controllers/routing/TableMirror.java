package io.shardwright.controllers.routing;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.resources.TableResources;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the ConfigMap that pods mount at the published document. Written by update, because an apply on a missing object
 * would create it with the fields of others lost.
 */
final class TableMirror {
    private final KubernetesClient client;
    private final Map<ResourceID, String> written = new ConcurrentHashMap<>();

    TableMirror(KubernetesClient client) {
        this.client = client;
    }

    /** Idempotent; reads and writes nothing when this process wrote the same document last. */
    void write(ResourceID cluster, String document) {
        if (document.equals(written.get(cluster))) {
            return;
        }
        ConfigMap stored = client.configMaps()
                .inNamespace(cluster.getNamespace().orElseThrow())
                .withName(TableResources.configMapName(cluster.getName()))
                .get();
        ConfigMap wanted = TableResources.configMap(cluster, document);
        if (stored == null) {
            client.resource(wanted).create();
        } else if (!wanted.getData().equals(stored.getData())) {
            stored.setData(wanted.getData());
            client.resource(stored).update();
        }
        written.put(cluster, document);
    }

    void forget(ResourceID cluster) {
        written.remove(cluster);
    }
}
