package io.shardwright.planning.hotkeys;

import io.shardwright.routing.ShardLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What all routers reported over the newest window. Bounds of slices add up to bounds of the window.
 *
 * @param covered whether it is all that they asked; only then is a share a share, and only then is a key cold
 */
public record LoadWindow(boolean covered, SortedMap<String, ShardWindow> shards) {
    public static final LoadWindow UNKNOWN = new LoadWindow(false, new TreeMap<>());

    public LoadWindow {
        shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
    }

    /**
     * Covered when all that every live process asked is known, and one of them has been there for the whole window: routers that
     * have all started a moment ago have seen no window yet.
     */
    public static LoadWindow of(Collection<ProcessReports> processes, Duration window) {
        SortedMap<String, List<ShardLoad>> loads = new TreeMap<>();
        processes.stream()
                .flatMap(process -> process.within(window).stream())
                .flatMap(report -> report.shards().stream())
                .forEach(load -> loads.computeIfAbsent(load.shard(), any -> new ArrayList<>())
                        .add(load));
        SortedMap<String, ShardWindow> shards = new TreeMap<>();
        loads.forEach((shard, all) -> shards.put(shard, ShardWindow.of(all)));
        boolean covered = processes.stream().filter(ProcessReports::live).allMatch(one -> one.covers(window))
                && processes.stream().anyMatch(one -> one.live() && one.spans(window));
        return new LoadWindow(covered, shards);
    }

    public ShardWindow shard(String name) {
        return shards.getOrDefault(name, ShardWindow.NONE);
    }
}
