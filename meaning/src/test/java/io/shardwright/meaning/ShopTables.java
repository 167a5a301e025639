package io.shardwright.meaning;

import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Routing tables of a shop with eight buckets. */
final class ShopTables {
    private ShopTables() {}

    static RoutingTable table(String owners, Map<String, String> pins) {
        return new RoutingTable(
                new TableOrder(1, 1, 1),
                1,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MODULO, 8),
                RunLengthMap.parse(owners, 8, owner -> owner),
                RunLengthMap.filled(8, 1L),
                new TreeMap<>(pins),
                List.of(),
                new TreeMap<>());
    }
}
