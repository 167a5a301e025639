package io.shardwright.planning.placement;

import io.shardwright.routing.Scope;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** Buckets, or keys, that travel together from one shard to another: one BucketMove. */
public record Batch(String from, String to, SortedSet<Scope> scopes) {
    public Batch {
        scopes = Collections.unmodifiableSortedSet(new TreeSet<>(scopes));
    }

    /** The buckets that move; none in a batch of keys. */
    public SortedSet<Integer> buckets() {
        SortedSet<Integer> buckets = new TreeSet<>();
        scopes.stream().filter(scope -> !scope.isKey()).forEach(scope -> buckets.add(scope.bucket()));
        return buckets;
    }

    public boolean ofKeys() {
        return Scope.areKeys(scopes);
    }
}
