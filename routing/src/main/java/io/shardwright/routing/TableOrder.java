package io.shardwright.routing;

import java.util.Comparator;

/** The order of routing documents: the highest (incarnation, revision, generation) of any channel wins. */
public record TableOrder(long incarnation, long revision, long generation) implements Comparable<TableOrder> {
    private static final Comparator<TableOrder> ORDER = Comparator.comparingLong(TableOrder::incarnation)
            .thenComparingLong(TableOrder::revision)
            .thenComparingLong(TableOrder::generation);

    @Override
    public int compareTo(TableOrder other) {
        return ORDER.compare(this, other);
    }
}
