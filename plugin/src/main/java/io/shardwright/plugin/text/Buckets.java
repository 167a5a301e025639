package io.shardwright.plugin.text;

import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/** A set of buckets as people read it: {@code 0-4,7}. */
public final class Buckets {
    private Buckets() {}

    public static String text(Collection<Integer> buckets) {
        SortedSet<Integer> sorted = new TreeSet<>(buckets);
        StringBuilder text = new StringBuilder();
        Integer first = null;
        for (int bucket : sorted) {
            first = first == null ? bucket : first;
            if (!sorted.contains(bucket + 1)) {
                text.append(text.isEmpty() ? "" : ",").append(first);
                text.append(first == bucket ? "" : "-" + bucket);
                first = null;
            }
        }
        return text.toString();
    }
}
