package io.shardwright.planning.table;

import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tables for tests: all buckets on ds-0; ds-0 to ds-4 are listed. */
public final class TableFixture {
    private TableFixture() {}

    public static RoutingTable aTable(int buckets, long epoch) {
        return new RoutingTable(
                new TableOrder(1, 1, 1),
                1,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, buckets),
                RunLengthMap.filled(buckets, "ds-0"),
                RunLengthMap.filled(buckets, epoch),
                new TreeMap<>(),
                List.of(),
                shards("ds-0", "ds-1", "ds-2", "ds-3", "ds-4"));
    }

    /** The same content, stored as the next revision. */
    public static RoutingTable next(RoutingTable table) {
        TableOrder order = table.order();
        return table.withOrder(new TableOrder(order.incarnation(), order.revision() + 1, order.generation()));
    }

    /** Key of {@link #aTable} with eight buckets. */
    public static Scope key(int key) {
        return Scope.of(ShardKey.of(KeyType.INT64, key), new Bucketing(HashFunction.MD5, 8));
    }

    public static SortedMap<String, ShardEntry> shards(String... names) {
        SortedMap<String, ShardEntry> shards = new TreeMap<>();
        for (String name : names) {
            shards.put(name, new ShardEntry(ShardRole.GENERAL, name + ".db", 5432));
        }
        return shards;
    }
}
