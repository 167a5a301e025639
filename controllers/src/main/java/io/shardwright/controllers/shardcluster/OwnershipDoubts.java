package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.ShardSight;
import io.shardwright.planning.table.Ownership;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Handover;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Buckets, and keys with a fence row of their own, of one cluster with two owners, or with none. The shards of one look are not read at the same moment, so a bucket
 * that is being switched may show either for once: what two looks in a row show is so.
 *
 * <p>A shard that cannot be read hides nothing that the others prove: two of them own a bucket whatever it says, and a bucket is
 * refused when routers are led to one that was read, and no other that was read owns it. A shard that nobody needs is left out, as
 * it is of the plan.
 */
final class OwnershipDoubts {
    private Evidence last;
    private Found found = Found.NOTHING;

    /** How many; none is never said while a shard could have told of one. */
    record Found(OptionalInt contested, OptionalInt ownerless) {
        private static final Found NOTHING = new Found(OptionalInt.empty(), OptionalInt.empty());
    }

    /** @return nothing while there is no table, and at the first look: until then a bucket without an owner is nothing wrong */
    Found look(ClusterObservation seen) {
        Optional<Evidence> now = Evidence.of(seen.without(IdleShards.unfit(seen).keySet()));
        if (now.isEmpty()) {
            last = null;
            found = Found.NOTHING;
        } else if (last == null || !now.get().isOfTheLookOf(last)) {
            found = last == null ? Found.NOTHING : now.get().confirming(last);
            last = now.get();
        }
        return found;
    }

    /**
     * What one look shows.
     *
     * @param whole every shard was read
     */
    private record Evidence(
            SortedMap<String, ShardSight> shards, boolean whole, Set<Scope> contested, Set<Scope> ownerless) {
        static Optional<Evidence> of(ClusterObservation seen) {
            if (seen.table().isEmpty() || seen.sight().isEmpty()) {
                return Optional.empty();
            }
            RoutingTable table = seen.table().get();
            SortedMap<String, ShardSight> shards = seen.sight().get().shards();
            Set<String> read = read(shards, new ShardIdentities(seen));
            boolean whole = read.size() == shards.size();
            Ownership truth = truth(table, shards, read);
            Set<Scope> contested = new TreeSet<>(Scope.buckets(truth.contested().keySet()));
            contested.addAll(truth.contestedKeys());
            Set<Scope> ownerless = new TreeSet<>(Scope.buckets(truth.ownerless()));
            ownerless.addAll(truth.ownerlessKeys());
            ownerless.removeIf(scope -> !whole && !read.containsAll(routed(table, scope)));
            return Optional.of(new Evidence(shards, whole, contested, ownerless));
        }

        private static Ownership truth(RoutingTable table, SortedMap<String, ShardSight> shards, Set<String> read) {
            SortedMap<String, Map<Integer, FenceRow>> fences = new TreeMap<>();
            SortedMap<String, Map<Scope, FenceRow>> keys = new TreeMap<>();
            read.forEach(shard -> {
                fences.put(shard, shards.get(shard).fence());
                keys.put(shard, shards.get(shard).keys());
            });
            return Ownership.of(table.bucketing().buckets(), fences, keys);
        }

        /** The shards whose fence rows were read, and read from the database of that name. */
        private static Set<String> read(SortedMap<String, ShardSight> shards, ShardIdentities identities) {
            return shards.values().stream()
                    .filter(ClusterChecks::isRead)
                    .filter(shard -> identities.fault(shard).isEmpty())
                    .map(ShardSight::shard)
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        /** Where routers write the bucket or key now. */
        private static Set<String> routed(RoutingTable table, Scope scope) {
            Set<String> routed = new HashSet<>(Set.of(table.owner(scope)));
            table.handovers().stream()
                    .filter(handover -> handover.scopes().containsKey(scope)
                            && !handover.visibleTo().isEmpty())
                    .map(Handover::to)
                    .forEach(routed::add);
            return routed;
        }

        /** One look is seen by several passes. */
        boolean isOfTheLookOf(Evidence other) {
            return shards.entrySet().stream().anyMatch(shard -> other.shards().get(shard.getKey()) == shard.getValue());
        }

        Found confirming(Evidence before) {
            boolean known = whole && before.whole();
            return new Found(
                    figure(both(before.contested(), contested), known),
                    figure(both(before.ownerless(), ownerless), known));
        }

        private static OptionalInt figure(int count, boolean known) {
            return known || count > 0 ? OptionalInt.of(count) : OptionalInt.empty();
        }

        private static int both(Set<Scope> before, Set<Scope> now) {
            return (int) now.stream().filter(before::contains).count();
        }
    }
}
