package io.shardwright.meaning;

import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.Handover;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import java.util.EnumSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** A stored RoutingTable as the value of the contract. */
public final class Tables {
    private Tables() {}

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
                spec.handovers().stream().map(entry -> handover(entry, spec)).toList(),
                shards);
    }

    private static Handover handover(RoutingTableSpec.Handover entry, RoutingTableSpec spec) {
        SortedMap<Scope, Long> scopes = new TreeMap<>();
        entry.buckets().forEach(bucket -> scopes.put(Scope.bucket(bucket.bucket()), bucket.epoch()));
        Bucketing bucketing = new Bucketing(HashFunction.fromWire(spec.hash()), spec.buckets());
        entry.keys()
                .forEach(key -> scopes.put(
                        Scope.of(new ShardKey(KeyType.fromWire(spec.keyType()), key.key()), bucketing), key.epoch()));
        Set<Role> visibleTo = EnumSet.noneOf(Role.class);
        entry.visibleTo().forEach(role -> visibleTo.add(Role.fromWire(role)));
        return new Handover(scopes, entry.to(), visibleTo);
    }
}
