package io.shardwright.routing;

import io.shardwright.routing.json.JsonObject;
import io.shardwright.routing.json.JsonWriter;
import io.shardwright.routing.json.MalformedDocumentException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The load of a slice as the member {@code load} of an acknowledgement. */
public final class LoadReportCodec {
    private static final int MAX_NAME = 256;

    private LoadReportCodec() {}

    /** The text that a shard takes in a report; for whoever has to keep an acknowledgement small. */
    public static String encode(ShardLoad load) {
        return JsonWriter.write(members(load));
    }

    static Map<String, Object> members(LoadReport load) {
        return Map.of(
                "slice", load.slice(),
                "millis", load.millis(),
                "shards", load.shards().stream().map(LoadReportCodec::members).toList());
    }

    private static Map<String, Object> members(ShardLoad load) {
        Map<String, Object> neighbours = new HashMap<>();
        load.neighbours().counts().forEach((bucket, count) -> neighbours.put(bucket.toString(), count));
        return Map.of(
                "shard", load.shard(),
                "requests", load.requests(),
                "hottest", load.hottest().stream().map(LoadReportCodec::members).toList(),
                "neighbours", neighbours);
    }

    private static Map<String, Object> members(KeyLoad load) {
        return Map.of("key", load.key(), "atLeast", load.atLeast(), "atMost", load.atMost());
    }

    /** @throws MalformedDocumentException with the field and what is wrong with it */
    static LoadReport read(JsonObject load) {
        List<JsonObject> rows = bounded(load.objects("shards"), "shards", LoadReport.MAX_SHARDS);
        List<ShardLoad> shards = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (JsonObject row : rows) {
            ShardLoad shard = shard(row);
            shards.add(shard);
            once(names.add(shard.shard()), "shard");
        }
        return new LoadReport(load.whole("slice"), load.whole("millis"), shards);
    }

    private static ShardLoad shard(JsonObject row) {
        List<KeyLoad> hottest = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        for (JsonObject key : bounded(row.objects("hottest"), "hottest", ShardLoad.MAX_KEYS)) {
            KeyLoad load = key(key);
            hottest.add(load);
            once(keys.add(load.key()), "key");
        }
        return new ShardLoad(
                text(row, "shard", MAX_NAME),
                row.whole("requests", LoadReport.MAX_COUNT),
                hottest,
                row.optionalObject("neighbours").map(LoadReportCodec::latencies).orElse(Latencies.NONE));
    }

    private static KeyLoad key(JsonObject row) {
        KeyLoad load = new KeyLoad(
                text(row, "key", KeyLoad.MAX_KEY),
                row.whole("atLeast", LoadReport.MAX_COUNT),
                row.whole("atMost", LoadReport.MAX_COUNT));
        if (load.atMost() < load.atLeast()) {
            throw new MalformedDocumentException("load: atMost of a key is below its atLeast");
        }
        return load;
    }

    private static Latencies latencies(JsonObject neighbours) {
        Map<Integer, Long> counts = new TreeMap<>();
        for (String name : neighbours.names()) {
            counts.put(bucket(name), (long) neighbours.whole(name, LoadReport.MAX_COUNT));
        }
        return new Latencies(counts);
    }

    private static int bucket(String name) {
        if (name.matches("0|[1-9][0-9]{0,2}") && Integer.parseInt(name) < Latencies.BUCKETS) {
            return Integer.parseInt(name);
        }
        throw new MalformedDocumentException("load: neighbours are counted in buckets 0 to " + (Latencies.BUCKETS - 1));
    }

    private static String text(JsonObject row, String field, int limit) {
        String text = row.text(field);
        if (text.isEmpty() || text.length() > limit) {
            throw new MalformedDocumentException("load: " + field + " must have 1 to " + limit + " characters");
        }
        return text;
    }

    private static <T extends Collection<?>> T bounded(T rows, String field, int limit) {
        if (rows.size() > limit) {
            throw new MalformedDocumentException("load: " + field + " has more than " + limit + " entries");
        }
        return rows;
    }

    /** Without its name: whoever reads the error need not be allowed to read keys. */
    private static void once(boolean first, String kind) {
        if (!first) {
            throw new MalformedDocumentException("load: a " + kind + " stands twice");
        }
    }
}
