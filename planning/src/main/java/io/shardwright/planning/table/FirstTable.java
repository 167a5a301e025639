package io.shardwright.planning.table;

import io.shardwright.routing.Bucketing;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.TableOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The first table of a cluster, or of a cluster whose table was lost; ownership comes from the fences and from nothing else.
 *
 * @param incarnation 1 for a new cluster; above every one that a shard or an acknowledgement has shown when the object was
 *     lost, so that routers take the new table for the newer one
 * @param shards every shard with its role and primary
 */
public record FirstTable(
        String cluster,
        String engine,
        KeyType keyType,
        Bucketing bucketing,
        long incarnation,
        long writerEpoch,
        SortedMap<String, ShardEntry> shards) {
    public FirstTable {
        shards = new TreeMap<>(shards);
    }

    /** @throws IllegalArgumentException when a bucket has no owner, or several; ask {@link Ownership#problem()} first */
    public RoutingTable from(Ownership truth) {
        if (!truth.complete()) {
            throw new IllegalArgumentException(truth.problem().orElseThrow());
        }
        List<String> owners = new ArrayList<>();
        List<Long> epochs = new ArrayList<>();
        for (Map.Entry<Integer, Ownership.Owner> owner : truth.owners().entrySet()) {
            owners.add(owner.getValue().shard());
            epochs.add(owner.getValue().epoch());
        }
        SortedMap<String, String> pins = new TreeMap<>();
        truth.keys().forEach((key, owner) -> {
            if (!truth.ownsAlone(owner.shard(), key.bucket())) {
                pins.put(key.key().orElseThrow(), owner.shard());
            }
        });
        return new RoutingTable(
                new TableOrder(incarnation, 1, 0),
                writerEpoch,
                cluster,
                engine,
                keyType,
                bucketing,
                RunLengthMap.of(owners),
                RunLengthMap.of(epochs),
                pins,
                List.of(),
                shards);
    }
}
