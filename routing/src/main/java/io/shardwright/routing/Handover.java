package io.shardwright.routing;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One switch group that is being announced or published.
 *
 * @param buckets the buckets of the group, each with the fence epoch that it has (or will have) on the new owner
 * @param to the new owner
 * @param visibleTo roles that already route by it; empty while it is only announced
 */
public record Handover(SortedMap<Integer, Long> buckets, String to, Set<Role> visibleTo) {
    public Handover {
        buckets = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(buckets));
        visibleTo = Set.copyOf(visibleTo);
    }

    public static Handover announced(Map<Integer, Long> buckets, String to) {
        return new Handover(new TreeMap<>(buckets), to, Set.of());
    }

    public Handover visibleTo(Role... roles) {
        return new Handover(buckets, to, Set.copyOf(List.of(roles)));
    }
}
