package io.shardwright.controllers.routing;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.resources.TableResources;
import io.shardwright.planning.table.LostHistory;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.TableOrder;
import io.shardwright.routing.json.MalformedDocumentException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the ConfigMap that pods mount at the published document. Written by update, because an apply on a missing object
 * would create it with the fields of others lost.
 */
final class TableMirror {
    private final KubernetesClient client;
    private final Map<ResourceID, String> written = new ConcurrentHashMap<>();
    private final Map<ResourceID, TableOrder> ahead = new ConcurrentHashMap<>();

    TableMirror(KubernetesClient client) {
        this.client = client;
    }

    /** Idempotent; reads and writes nothing when this process wrote the same document last. A newer document stays. */
    void write(ResourceID cluster, PublishedTable table) {
        String document = table.document();
        if (document.equals(written.get(cluster))) {
            return;
        }
        ConfigMap stored = read(cluster);
        ahead.remove(cluster);
        ConfigMap wanted = TableResources.configMap(cluster, document);
        if (stored == null) {
            client.resource(wanted).create();
        } else if (isBehind(stored, table)) {
            stored.setData(wanted.getData());
            client.resource(stored).update();
        } else {
            order(stored)
                    .filter(order -> order.compareTo(table.table().order()) > 0)
                    .ifPresent(order -> ahead.put(cluster, order));
        }
        written.put(cluster, document);
    }

    private ConfigMap read(ResourceID cluster) {
        return client.configMaps()
                .inNamespace(cluster.getNamespace().orElseThrow())
                .withName(TableResources.configMapName(cluster.getName()))
                .get();
    }

    /**
     * Order of the copy that was found newer than the table, and left. It is of a later leader, whose table this process
     * sees next, or of a history that the table has lost.
     */
    Optional<TableOrder> ahead(ResourceID cluster) {
        return Optional.ofNullable(ahead.get(cluster));
    }

    /** Order of the copy as the API server has it now; empty when there is none that can be read. */
    Optional<TableOrder> stored(ResourceID cluster) {
        return Optional.ofNullable(read(cluster)).flatMap(TableMirror::order);
    }

    /**
     * By the resourceVersion that is written on, this holds until the write. What cannot be read is replaced, and so is what
     * somebody else has written under this order, or under one that no table of this cluster can have.
     */
    private static boolean isBehind(ConfigMap stored, PublishedTable table) {
        TableOrder wanted = table.table().order();
        return order(stored)
                .filter(order -> LostHistory.believable(order, wanted.incarnation()))
                .map(order -> order.compareTo(wanted) < 0
                        || order.compareTo(wanted) == 0 && !document(stored).equals(table.document()))
                .orElse(true);
    }

    private static Optional<TableOrder> order(ConfigMap stored) {
        String document = document(stored);
        if (document == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(RoutingTableCodec.decode(document).order());
        } catch (MalformedDocumentException e) {
            return Optional.empty();
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
        ahead.remove(cluster);
    }
}
