package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.dataplane.Placement;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** What scans have found, until it is used or replaced. */
final class Scans {
    private final LongSupplier nanos;
    private final Map<ResourceID, Found> found = new ConcurrentHashMap<>();

    Scans(LongSupplier nanos) {
        this.nanos = nanos;
    }

    private record Found(
            ClusterTarget target, SortedMap<String, Placement> placements, Duration took, long endedNanos) {}

    /**
     * A finished scan.
     *
     * @param placements by shard
     * @param took how long it took: the next one waits ten times as long
     */
    record Scan(SortedMap<String, Placement> placements, Duration took, Duration age) {
        Scan {
            placements = Collections.unmodifiableSortedMap(new TreeMap<>(placements));
        }

        boolean guarded() {
            return placements.values().stream().allMatch(Placement::guarded);
        }
    }

    void put(ResourceID cluster, ClusterTarget target, SortedMap<String, Placement> placements, Duration took) {
        found.put(cluster, new Found(target, placements, took, nanos.getAsLong()));
    }

    /** The last scan of exactly this target. */
    Optional<Scan> of(ResourceID cluster, ClusterTarget target) {
        return Optional.ofNullable(found.get(cluster))
                .filter(last -> last.target().equals(target))
                .map(last -> new Scan(
                        last.placements(), last.took(), Duration.ofNanos(nanos.getAsLong() - last.endedNanos())));
    }

    void forget(ResourceID cluster) {
        found.remove(cluster);
    }
}
