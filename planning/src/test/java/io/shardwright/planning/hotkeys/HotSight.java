package io.shardwright.planning.hotkeys;

import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.Latencies;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardLoad;
import io.shardwright.routing.ShardRole;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What detection looks at, in the making: eight buckets, four on each of two General shards, ds-hot and ds-warm are Dedicated. A key
 * lies in the bucket of its number. One router has reported for exactly a window.
 */
final class HotSight {
    static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    static final Duration WINDOW = Duration.ofMinutes(5);
    static final Duration COOLDOWN = Duration.ofMinutes(30);
    /** Of a shard in the window: ten per second. */
    static final long REQUESTS = 3_000;

    private final Map<String, List<KeyLoad>> keys = new TreeMap<>();
    private final SortedMap<String, Long> requests = new TreeMap<>(Map.of("ds-0", REQUESTS, "ds-1", REQUESTS));
    private final Map<String, Latencies> latencies = new TreeMap<>();
    private final SortedMap<Scope, String> pins = new TreeMap<>();
    private final SortedMap<Scope, String> pinned = new TreeMap<>();
    private final SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
    private List<HotKey> before = List.of();
    private List<String> targets = List.of("ds-hot", "ds-warm");
    private int maxPins = 20;
    private boolean covered = true;
    private boolean underWay;
    private boolean on = true;
    private Instant now = NOON;

    HotSight() {
        shards.put("ds-0", PlanInputs.Shard.general(100));
        shards.put("ds-1", PlanInputs.Shard.general(100));
        dedicated("ds-hot", 100);
        dedicated("ds-warm", 100);
    }

    /** So many requests of the shard are certainly for the key, and no more. */
    HotSight asked(String shard, int key, long exactly) {
        return asked(shard, key, exactly, exactly);
    }

    HotSight asked(String shard, int key, long atLeast, long atMost) {
        keys.computeIfAbsent(shard, any -> new ArrayList<>()).add(new KeyLoad(Integer.toString(key), atLeast, atMost));
        return this;
    }

    HotSight requests(String shard, long count) {
        requests.put(shard, count);
        return this;
    }

    HotSight neighboursTake(String shard, long micros) {
        latencies.put(shard, new Latencies(Map.of(Latencies.bucketOf(micros), 100L)));
        return this;
    }

    HotSight pin(int key, String shard) {
        pins.put(key(key), shard);
        return this;
    }

    /** In the routing table. */
    HotSight pinned(int key, String shard) {
        pinned.put(key(key), shard);
        return this;
    }

    HotSight dedicated(String name, int weight) {
        shards.put(name, new PlanInputs.Shard(ShardRole.DEDICATED, weight));
        return this;
    }

    HotSight without(String shard) {
        shards.remove(shard);
        return this;
    }

    HotSight targets(String... names) {
        targets = List.of(names);
        return this;
    }

    HotSight maxPins(int most) {
        maxPins = most;
        return this;
    }

    /** A router is not heard. */
    HotSight uncovered() {
        covered = false;
        return this;
    }

    HotSight planUnderWay() {
        underWay = true;
        return this;
    }

    HotSight off() {
        on = false;
        return this;
    }

    HotSight after(List<HotKey> remembered) {
        before = remembered;
        return this;
    }

    HotSight at(Instant time) {
        now = time;
        return this;
    }

    HotSight later(Duration time) {
        now = NOON.plus(time);
        return this;
    }

    static Scope key(int number) {
        return Scope.key(Integer.toString(number), number % 8);
    }

    HotKeySight seen() {
        return new HotKeySight(
                new DetectionSettings(on, 0.2, WINDOW, targets, maxPins, COOLDOWN),
                load(),
                text -> Optional.of(key(Integer.parseInt(text))),
                before,
                pins,
                pinned,
                RunLengthMap.parse("ds-0*4,ds-1*4", 8, name -> name),
                shards,
                underWay,
                now);
    }

    private LoadWindow load() {
        List<ShardLoad> loads = new ArrayList<>();
        requests.forEach((shard, count) -> loads.add(new ShardLoad(
                shard, count, keys.getOrDefault(shard, List.of()), latencies.getOrDefault(shard, Latencies.NONE))));
        LoadReport report = new LoadReport(9, WINDOW.toMillis(), loads);
        List<ProcessReports> processes = new ArrayList<>();
        processes.add(new ProcessReports(true, List.of(new ProcessReports.Heard(report, Duration.ofSeconds(3)))));
        if (!covered) {
            processes.add(new ProcessReports(true, List.of()));
        }
        return LoadWindow.of(processes, WINDOW);
    }

    List<HotKey> next() {
        return HotKeyPlanner.next(seen());
    }

    /** The only one. */
    HotKey only() {
        List<HotKey> keys = next();
        if (keys.size() != 1) {
            throw new AssertionError("one key was expected: " + keys);
        }
        return keys.getFirst();
    }
}
