package io.shardwright.controllers.resources;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.crds.Names;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A routing table as the object that is stored, and as the ConfigMap that pods mount. */
public final class TableResources {
    public static final String CONFIG_MAP_KEY = "table.json";

    private TableResources() {}

    /** An object with this content; metadata beside name, namespace and labels is the caller's. */
    public static io.shardwright.crds.routingtable.RoutingTable object(ResourceID cluster, RoutingTable table) {
        var object = new io.shardwright.crds.routingtable.RoutingTable();
        object.setMetadata(metadata(cluster, cluster.getName()));
        object.setSpec(spec(table));
        return object;
    }

    public static RoutingTableSpec spec(RoutingTable table) {
        Map<String, RoutingTableSpec.Shard> shards = new TreeMap<>();
        table.shards()
                .forEach((name, shard) -> shards.put(
                        name,
                        new RoutingTableSpec.Shard(
                                shard.role().wire(), new RoutingTableSpec.Endpoint(shard.host(), shard.port()))));
        return new RoutingTableSpec(
                table.order().revision(),
                table.order().incarnation(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.bucketing().buckets(),
                table.bucketing().hash().wire(),
                table.keyType().wire(),
                table.bucketMap().encode(),
                table.epochs().encode(),
                table.pins(),
                table.handovers().stream().map(TableResources::entry).toList(),
                shards);
    }

    private static RoutingTableSpec.Handover entry(Handover handover) {
        List<RoutingTableSpec.BucketEpoch> buckets = new ArrayList<>();
        List<RoutingTableSpec.KeyEpoch> keys = new ArrayList<>();
        handover.scopes()
                .forEach((scope, epoch) -> scope.key()
                        .ifPresentOrElse(
                                key -> keys.add(new RoutingTableSpec.KeyEpoch(key, epoch)),
                                () -> buckets.add(new RoutingTableSpec.BucketEpoch(scope.bucket(), epoch))));
        List<String> visibleTo =
                handover.visibleTo().stream().sorted().map(Role::wire).toList();
        return new RoutingTableSpec.Handover(buckets, keys, handover.to(), visibleTo);
    }

    public static String configMapName(String cluster) {
        return cluster + "-routing";
    }

    /** The mounted form: the same document as in the stream. */
    public static ConfigMap configMap(ResourceID cluster, String document) {
        return new ConfigMapBuilder()
                .withMetadata(metadata(cluster, configMapName(cluster.getName())))
                .withData(Map.of(CONFIG_MAP_KEY, document))
                .build();
    }

    private static ObjectMeta metadata(ResourceID cluster, String name) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(cluster.getNamespace().orElseThrow())
                .withLabels(Map.of(Names.CLUSTER_LABEL, cluster.getName()))
                .build();
    }
}
