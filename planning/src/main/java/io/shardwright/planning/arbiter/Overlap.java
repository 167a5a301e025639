package io.shardwright.planning.arbiter;

import io.shardwright.routing.Scope;
import java.util.SortedSet;

/**
 * Whether what two moves carry meets: the same bucket, the same key, or a bucket and a key in it. The fence row of a bucket counts
 * the keys that have rows of their own, so its move and theirs change the same row. Two keys of one bucket do not meet.
 */
public final class Overlap {
    private Overlap() {}

    public static boolean between(SortedSet<Scope> some, SortedSet<Scope> others) {
        return takes(some, others) || takes(others, some);
    }

    /** One of these, or the bucket of one, is among the others. */
    private static boolean takes(SortedSet<Scope> these, SortedSet<Scope> others) {
        return these.stream().anyMatch(scope -> others.contains(scope) || others.contains(scope.ofBucket()));
    }
}
