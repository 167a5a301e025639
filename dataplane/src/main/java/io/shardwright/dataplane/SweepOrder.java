package io.shardwright.dataplane;

import io.shardwright.routing.FenceRow;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What of one trace goes; nothing does when it is not as it was seen.
 *
 * @param undone fence rows that become others, each from exactly its row as seen
 * @param emptied buckets whose rows are deleted, in batches under their record and their fence row, which must say ABORTED
 * @param kept buckets whose record stays
 * @param acceptAsyncStandby be content with commits that a failover could lose, as the moves of this cluster are
 */
public record SweepOrder(
        MoveTrace seen,
        List<Swap> undone,
        SortedSet<Integer> emptied,
        SortedSet<Integer> kept,
        boolean acceptAsyncStandby) {
    public SweepOrder {
        undone = List.copyOf(undone);
        emptied = Collections.unmodifiableSortedSet(new TreeSet<>(emptied));
        kept = Collections.unmodifiableSortedSet(new TreeSet<>(kept));
    }

    /** One fence row by compare-and-swap. */
    public record Swap(FenceRow from, FenceRow to) {}
}
