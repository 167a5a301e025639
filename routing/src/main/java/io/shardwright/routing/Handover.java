package io.shardwright.routing;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One switch group that is being announced or published.
 *
 * @param scopes the buckets or the keys of the group, each with the fence epoch that it has (or will have) on the new owner
 * @param to the new owner
 * @param visibleTo roles that already route by it; empty while it is only announced
 */
public record Handover(SortedMap<Scope, Long> scopes, String to, Set<Role> visibleTo) {
    public Handover {
        scopes = Collections.unmodifiableSortedMap(new TreeMap<>(scopes));
        visibleTo = Set.copyOf(visibleTo);
    }

    public static Handover announced(Map<Scope, Long> scopes, String to) {
        return new Handover(new TreeMap<>(scopes), to, Set.of());
    }

    /** Of buckets, announced. */
    public static Handover ofBuckets(Map<Integer, Long> buckets, String to) {
        SortedMap<Scope, Long> scopes = new TreeMap<>();
        buckets.forEach((bucket, epoch) -> scopes.put(Scope.bucket(bucket), epoch));
        return new Handover(scopes, to, Set.of());
    }

    public Handover visibleTo(Role... roles) {
        return new Handover(scopes, to, Set.copyOf(List.of(roles)));
    }
}
