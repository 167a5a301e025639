package io.shardwright.routing;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tables of tests: 100 buckets on four shards, 25 each, and a fifth shard that has none. */
final class Tables {
    private Tables() {}

    static RoutingTable four() {
        TreeMap<String, ShardEntry> shards = new TreeMap<>();
        for (int i = 0; i < 5; i++) {
            shards.put("ds-" + i, new ShardEntry(ShardRole.GENERAL, "ds-" + i + ".db", 5432));
        }
        shards.put("ds-hot", new ShardEntry(ShardRole.DEDICATED, "ds-hot.db", 5432));
        return new RoutingTable(
                new TableOrder(1, 7, 9),
                3,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MODULO, 100),
                RunLengthMap.parse("ds-0*25,ds-1*25,ds-2*25,ds-3*25", 100, shard -> shard),
                RunLengthMap.filled(100, 1L),
                new TreeMap<>(Map.of("42", "ds-hot")),
                List.of(),
                shards);
    }

    static RoutingTable ordered(RoutingTable table, long incarnation, long revision, long generation) {
        return table.withOrder(new TableOrder(incarnation, revision, generation));
    }

    static RoutingTable writtenBy(RoutingTable table, long writerEpoch) {
        return new RoutingTable(
                table.order(),
                writerEpoch,
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                table.pins(),
                table.handovers(),
                table.shards());
    }

    static RoutingTable mapped(RoutingTable table, RunLengthMap<String> owners, RunLengthMap<Long> epochs) {
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                owners,
                epochs,
                table.pins(),
                table.handovers(),
                table.shards());
    }

    static RoutingTable pinned(RoutingTable table, Map<String, String> pins) {
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                new TreeMap<>(pins),
                table.handovers(),
                table.shards());
    }

    static RoutingTable handing(RoutingTable table, Handover... handovers) {
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                table.pins(),
                List.of(handovers),
                table.shards());
    }

    static RoutingTable of(RoutingTable table, String cluster, String engine, KeyType keyType, Bucketing bucketing) {
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                cluster,
                engine,
                keyType,
                bucketing,
                table.bucketMap(),
                table.epochs(),
                table.pins(),
                table.handovers(),
                table.shards());
    }

    static RoutingTable listing(RoutingTable table, Map<String, ShardEntry> shards) {
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                table.pins(),
                table.handovers(),
                new TreeMap<>(shards));
    }
}
