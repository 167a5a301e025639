package io.shardwright.planning.placement;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** Buckets that travel together from one shard to another: one BucketMove. */
public record BucketBatch(String from, String to, SortedSet<Integer> buckets) {
    public BucketBatch {
        buckets = Collections.unmodifiableSortedSet(new TreeSet<>(buckets));
    }
}
