package io.shardwright.controllers.resources;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.crds.Names;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.Handover;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** A routing table as the object that is stored, as the value of the contract, and as the ConfigMap that pods mount. */
public final class TableResources {
    public static final String CONFIG_MAP_KEY = "table.json";

    private TableResources() {}

    /** The value that an object holds; its generation is the object's. @throws IllegalArgumentException when malformed */
    public static RoutingTable table(io.shardwright.crds.routingtable.RoutingTable object) {
        RoutingTableSpec spec = object.getSpec();
        Long generation = object.getMetadata().getGeneration();
        SortedMap<String, ShardEntry> shards = new TreeMap<>();
        spec.shards()
                .forEach((name, shard) -> shards.put(
                        name,
                        new ShardEntry(
                                ShardRole.fromWire(shard.role()),
                                shard.primary().host(),
                                shard.primary().port())));
        return new RoutingTable(
                new TableOrder(spec.incarnation(), spec.revision(), generation == null ? 0 : generation),
                spec.writerEpoch(),
                spec.cluster(),
                spec.engine(),
                KeyType.fromWire(spec.keyType()),
                new Bucketing(HashFunction.fromWire(spec.hash()), spec.buckets()),
                RunLengthMap.parse(spec.bucketMap(), spec.buckets(), owner -> owner),
                RunLengthMap.parse(spec.epochs(), spec.buckets(), Long::valueOf),
                new TreeMap<>(spec.pins()),
                spec.handovers().stream().map(TableResources::handover).toList(),
                shards);
    }

    private static Handover handover(RoutingTableSpec.Handover entry) {
        SortedMap<Integer, Long> buckets = new TreeMap<>();
        entry.buckets().forEach(bucket -> buckets.put(bucket.bucket(), bucket.epoch()));
        Set<Role> visibleTo = EnumSet.noneOf(Role.class);
        entry.visibleTo().forEach(role -> visibleTo.add(Role.fromWire(role)));
        return new Handover(buckets, entry.to(), visibleTo);
    }

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
        List<RoutingTableSpec.BucketEpoch> buckets = handover.buckets().entrySet().stream()
                .map(entry -> new RoutingTableSpec.BucketEpoch(entry.getKey(), entry.getValue()))
                .toList();
        List<String> visibleTo =
                handover.visibleTo().stream().sorted().map(Role::wire).toList();
        return new RoutingTableSpec.Handover(buckets, handover.to(), visibleTo);
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
