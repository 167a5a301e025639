package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.ShardSight;
import io.shardwright.planning.table.Ownership;
import io.shardwright.routing.FenceRow;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Buckets of one cluster with two owners, or with none. The shards of one look are not read at the same moment, so a bucket
 * that is being switched may show either for once: what two looks in a row show is so.
 */
final class OwnershipDoubts {
    private ClusterSight last;
    private Set<Integer> contested = Set.of();
    private Set<Integer> ownerless = Set.of();
    private Optional<Found> found = Optional.empty();

    /** How many. */
    record Found(int contested, int ownerless) {}

    /** @return empty while nothing is known: a shard could not be read, or this is the first look since then */
    Optional<Found> look(int buckets, Optional<ClusterSight> sight) {
        Optional<ClusterSight> whole = sight.filter(OwnershipDoubts::isWhole);
        if (whole.isEmpty()) {
            last = null;
            found = Optional.empty();
        } else if (whole.get() != last) {
            Ownership truth = Ownership.of(buckets, fences(whole.get()));
            found = last == null
                    ? Optional.empty()
                    : Optional.of(
                            new Found(both(contested, truth.contested().keySet()), both(ownerless, truth.ownerless())));
            contested = truth.contested().keySet();
            ownerless = truth.ownerless();
            last = whole.get();
        }
        return found;
    }

    private static boolean isWhole(ClusterSight sight) {
        return sight.shards().values().stream()
                .allMatch(shard -> ClusterChecks.problem(shard).isEmpty());
    }

    private static Map<String, Map<Integer, FenceRow>> fences(ClusterSight sight) {
        return sight.shards().values().stream()
                .collect(Collectors.toMap(ShardSight::shard, ShardSight::fence, (one, other) -> one, TreeMap::new));
    }

    private static int both(Set<Integer> before, Set<Integer> now) {
        return (int) now.stream().filter(before::contains).count();
    }
}
