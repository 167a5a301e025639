package io.shardwright.controllers.routers;

import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.ShardLoad;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A slice as it is kept: the counts of latencies, which are most of it, in an array instead of a map of boxes. */
record KeptSlice(long slice, long millis, List<Row> rows, long heardNanos) {
    /** @param latencies bucket and count in turn */
    private record Row(String shard, long requests, List<KeyLoad> hottest, int[] latencies) {}

    static KeptSlice of(LoadReport report, long heardNanos) {
        return new KeptSlice(
                report.slice(),
                report.millis(),
                report.shards().stream().map(KeptSlice::row).toList(),
                heardNanos);
    }

    private static Row row(ShardLoad load) {
        int[] latencies = load.neighbours().counts().entrySet().stream()
                .flatMapToInt(
                        count -> IntStream.of(count.getKey(), (int) Math.min(Integer.MAX_VALUE, count.getValue())))
                .toArray();
        return new Row(load.shard(), load.requests(), load.hottest(), latencies);
    }

    int size() {
        return rows.size();
    }

    LoadReport report() {
        return new LoadReport(slice, millis, rows.stream().map(KeptSlice::load).toList());
    }

    private static ShardLoad load(Row row) {
        Map<Integer, Long> counts = new HashMap<>();
        for (int i = 0; i < row.latencies().length; i += 2) {
            counts.put(row.latencies()[i], (long) row.latencies()[i + 1]);
        }
        return new ShardLoad(row.shard(), row.requests(), row.hottest(), new Latencies(counts));
    }
}
