package io.shardwright.routing;

import io.shardwright.routing.json.JsonObject;
import io.shardwright.routing.json.JsonReader;
import io.shardwright.routing.json.JsonWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The routing table as the one JSON document that stream and mounted file carry: {@code {"generation": N, ...spec}},
 * compact, names sorted. One table has one text, whoever writes it, so its digest identifies it. Names that a reader does
 * not know are skipped.
 */
public final class RoutingTableCodec {
    private static final int MAX_PORT = 65_535;

    private RoutingTableCodec() {}

    public static String encode(RoutingTable table) {
        Map<String, Object> document = new HashMap<>();
        document.put("generation", table.order().generation());
        document.put("revision", table.order().revision());
        document.put("incarnation", table.order().incarnation());
        document.put("writerEpoch", table.writerEpoch());
        document.put("cluster", table.cluster());
        document.put("engine", table.engine());
        document.put("buckets", table.bucketing().buckets());
        document.put("hash", table.bucketing().hash().wire());
        document.put("keyType", table.keyType().wire());
        document.put("bucketMap", table.bucketMap().encode());
        document.put("epochs", table.epochs().encode());
        document.put("pins", table.pins());
        document.put(
                "handovers",
                table.handovers().stream().map(RoutingTableCodec::encode).toList());
        document.put("shards", encodeShards(table.shards()));
        return JsonWriter.write(document);
    }

    private static Map<String, Object> encode(Handover handover) {
        List<Object> buckets = new ArrayList<>();
        List<Object> keys = new ArrayList<>();
        handover.scopes()
                .forEach((scope, epoch) -> scope.key()
                        .ifPresentOrElse(
                                key -> keys.add(Map.of("key", key, "epoch", epoch)),
                                () -> buckets.add(Map.of("bucket", scope.bucket(), "epoch", epoch))));
        Map<String, Object> entry = new HashMap<>();
        entry.put("to", handover.to());
        entry.put(
                "visibleTo",
                handover.visibleTo().stream().sorted().map(Role::wire).toList());
        if (!keys.isEmpty()) {
            entry.put("keys", keys);
        }
        if (!buckets.isEmpty() || keys.isEmpty()) {
            entry.put("buckets", buckets);
        }
        return entry;
    }

    private static Map<String, Object> encodeShards(Map<String, ShardEntry> shards) {
        Map<String, Object> entries = new HashMap<>();
        shards.forEach((name, shard) -> entries.put(
                name,
                Map.of(
                        "role", shard.role().wire(),
                        "primary", Map.of("host", shard.host(), "port", shard.port()))));
        return entries;
    }

    /**
     * Reads the form only; whether the table keeps the rules is asked of {@link TableInvariants}.
     *
     * @throws MalformedTableException with the field and what is wrong with it
     */
    public static RoutingTable decode(String document) {
        try {
            return decode(JsonReader.readObject(document));
        } catch (IllegalArgumentException e) {
            throw new MalformedTableException("no routing table: " + e.getMessage(), e);
        }
    }

    private static RoutingTable decode(JsonObject document) {
        int buckets = document.whole("buckets", Bucketing.MAX_BUCKETS);
        Bucketing bucketing = new Bucketing(HashFunction.fromWire(document.text("hash")), buckets);
        KeyType keyType = KeyType.fromWire(document.text("keyType"));
        return new RoutingTable(
                new TableOrder(document.whole("incarnation"), document.whole("revision"), document.whole("generation")),
                document.whole("writerEpoch"),
                document.text("cluster"),
                document.text("engine"),
                keyType,
                bucketing,
                RunLengthMap.parse(document.text("bucketMap"), buckets, shard -> shard),
                RunLengthMap.parse(document.text("epochs"), buckets, RoutingTableCodec::epoch),
                pins(document),
                document.objects("handovers").stream()
                        .map(entry -> handover(entry, keyType, bucketing))
                        .toList(),
                shards(document.object("shards")));
    }

    private static Long epoch(String text) {
        long epoch = Long.parseLong(text);
        if (epoch < 0) {
            throw new IllegalArgumentException("an epoch is 0 or more, not " + text);
        }
        return epoch;
    }

    private static SortedMap<String, String> pins(JsonObject document) {
        SortedMap<String, String> pins = new TreeMap<>();
        document.optionalObject("pins").ifPresent(object -> {
            for (String key : object.names()) {
                pins.put(key, object.text(key));
            }
        });
        return pins;
    }

    private static Handover handover(JsonObject entry, KeyType keyType, Bucketing bucketing) {
        SortedMap<Scope, Long> scopes = new TreeMap<>();
        for (JsonObject bucket : entry.objects("buckets")) {
            Scope scope = Scope.bucket(bucket.whole("bucket", Bucketing.MAX_BUCKETS));
            if (scopes.put(scope, bucket.whole("epoch")) != null) {
                throw new IllegalArgumentException("a handover names bucket " + scope + " twice");
            }
        }
        for (JsonObject key : entry.objects("keys")) {
            Scope scope = Scope.of(new ShardKey(keyType, key.text("key")), bucketing);
            if (scopes.put(scope, key.whole("epoch")) != null) {
                throw new IllegalArgumentException("a handover names a key of bucket " + scope.bucket() + " twice");
            }
        }
        Set<Role> visibleTo = EnumSet.noneOf(Role.class);
        entry.texts("visibleTo").forEach(role -> visibleTo.add(Role.fromWire(role)));
        return new Handover(scopes, entry.text("to"), visibleTo);
    }

    private static SortedMap<String, ShardEntry> shards(JsonObject entries) {
        SortedMap<String, ShardEntry> shards = new TreeMap<>();
        for (String name : entries.names()) {
            JsonObject entry = entries.object(name);
            JsonObject primary = entry.object("primary");
            shards.put(
                    name,
                    new ShardEntry(
                            ShardRole.fromWire(entry.text("role")),
                            primary.text("host"),
                            primary.whole("port", MAX_PORT)));
        }
        return shards;
    }
}
