package io.shardwright.controllers.routing;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.resources.TableResources;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.json.MalformedDocumentException;
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

    /** Idempotent; reads and writes nothing when this process wrote the same document last. A newer document stays. */
    void write(ResourceID cluster, PublishedTable table) {
        String document = table.document();
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
        } else if (isBehind(stored, table)) {
            stored.setData(wanted.getData());
            client.resource(stored).update();
        }
        written.put(cluster, document);
    }

    /**
     * By the resourceVersion that is written on, this holds until the write. What cannot be read is replaced, and so is what
     * somebody else has written under this order.
     */
    private static boolean isBehind(ConfigMap stored, PublishedTable table) {
        String document = document(stored);
        if (document == null) {
            return true;
        }
        try {
            int age = RoutingTableCodec.decode(document)
                    .order()
                    .compareTo(table.table().order());
            return age < 0 || age == 0 && !document.equals(table.document());
        } catch (MalformedDocumentException e) {
            return true;
        }
    }

    private static String document(ConfigMap stored) {
        return stored.getData() == null ? null : stored.getData().get(TableResources.CONFIG_MAP_KEY);
    }

    /**
     * A watch shows the copy, or that it is gone.
     *
     * @param stored null when it is gone
     * @return whether it is not what this process wrote last: it is written again then
     */
    boolean disturbed(ResourceID cluster, ConfigMap stored) {
        String document = written.get(cluster);
        return document != null
                && (stored == null || !document.equals(document(stored)))
                && written.remove(cluster, document);
    }

    void forget(ResourceID cluster) {
        written.remove(cluster);
    }
}
