package io.shardwright.client.table;

import io.shardwright.routing.Bucketing;
import io.shardwright.routing.Handover;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tables of cluster orders: 8 buckets on ds-0 with epoch 1, and an empty ds-1. */
public final class Tables {
    private Tables() {}

    public static String document(long revision) {
        return document(1, revision, List.of());
    }

    public static String document(long incarnation, long revision, List<Handover> handovers) {
        return RoutingTableCodec.encode(table(incarnation, revision, handovers));
    }

    public static RoutingTable table(long incarnation, long revision, List<Handover> handovers) {
        return new RoutingTable(
                new TableOrder(incarnation, revision, revision),
                1,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, 8),
                RunLengthMap.filled(8, "ds-0"),
                RunLengthMap.filled(8, 1L),
                new TreeMap<>(),
                handovers,
                new TreeMap<>(Map.of(
                        "ds-0", new ShardEntry(ShardRole.GENERAL, "127.0.0.1", 1),
                        "ds-1", new ShardEntry(ShardRole.GENERAL, "127.0.0.1", 2))));
    }
}
