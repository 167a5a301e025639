package io.shardwright.operator.feed;

import io.shardwright.operator.ClusterKey;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open streams by cluster. */
final class FeedStreams {
    private final Map<ClusterKey, Set<FeedStream>> open = new ConcurrentHashMap<>();

    void add(ClusterKey cluster, FeedStream stream) {
        open.compute(cluster, (key, streams) -> {
            Set<FeedStream> extended = streams == null ? ConcurrentHashMap.newKeySet() : streams;
            extended.add(stream);
            return extended;
        });
    }

    void remove(ClusterKey cluster, FeedStream stream) {
        open.computeIfPresent(cluster, (key, streams) -> {
            streams.remove(stream);
            return streams.isEmpty() ? null : streams;
        });
    }

    void offer(ClusterKey cluster, TableDocument document) {
        open.getOrDefault(cluster, Set.of()).forEach(stream -> stream.offer(document));
    }

    int count() {
        return open.values().stream().mapToInt(Set::size).sum();
    }

    void endAll() {
        open.values().forEach(streams -> streams.forEach(FeedStream::end));
    }
}
