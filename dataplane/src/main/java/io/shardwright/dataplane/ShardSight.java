package io.shardwright.dataplane;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one look at a shard showed. A shard that could not be read has problems and nothing else: unknown is never
 * treated as good.
 *
 * @param primary the instance that answered as primary
 * @param systemIdentifier identity of the database server: a name never comes to mean another database
 * @param timeline grows with every failover
 * @param fenceVersion installed version of the fence, 0 when there is none
 * @param fence rows by bucket; empty when no fence is installed, or a newer one than this operator knows
 * @param armed buckets without a fence row are refused; false while a placement is being adopted
 * @param firstWrites buckets without a fence row that were written before the fence was armed
 * @param schemaHash equal on all shards, or nothing is moved
 * @param problems what is wrong, most basic first; empty means usable
 * @param keys rows of keys that have one of their own, and are decided by it and not by their bucket's
 */
public record ShardSight(
        String shard,
        Optional<ShardAccess.Endpoint> primary,
        String serverVersion,
        String systemIdentifier,
        long timeline,
        int fenceVersion,
        Map<Integer, FenceRow> fence,
        boolean armed,
        Set<Integer> firstWrites,
        String schemaHash,
        List<Problem> problems,
        SortedMap<Scope, FenceRow> keys) {
    public ShardSight {
        keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
        fence = Map.copyOf(fence);
        firstWrites = Set.copyOf(firstWrites);
        problems = List.copyOf(problems);
    }

    /** Of a shard that could not be read. */
    public static ShardSight unread(String shard, List<Problem> problems) {
        return new ShardSight(
                shard,
                Optional.empty(),
                "",
                "",
                0,
                0,
                Map.of(),
                false,
                Set.of(),
                "",
                problems,
                Collections.emptySortedMap());
    }

    public boolean usable() {
        return problems.isEmpty();
    }

    /** @param message what was seen and what to do, without secrets */
    public record Problem(Kind kind, String message) {
        public enum Kind {
            UNREACHABLE,
            ACCESS_DENIED,
            NO_PRIMARY,
            UNSUPPORTED_VERSION,
            SETTINGS,
            PRIVILEGES,
            TABLE_MISSING,
            SHARD_KEY,
            SCHEMA_UNSUPPORTED,
            FENCE_DAMAGED,
            /** a newer operator has brought it; nothing else of it was read */
            FENCE_NEWER
        }
    }
}
