package io.shardwright.planning.leftovers;

import io.shardwright.routing.FenceRow;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What may go now, and what stays and is told about.
 *
 * @param due in this order
 * @param again something may become due when it has been seen for longer
 * @param sightings to be handed to the next plan
 */
public record SweepPlan(List<Sweep> due, List<Finding> findings, boolean again, Sightings sightings) {
    public SweepPlan {
        due = List.copyOf(due);
        findings = List.copyOf(findings);
    }

    /**
     * One trace goes. Whoever does it changes nothing when the trace is not as it was seen.
     *
     * @param undone fence rows that become others first, each from exactly its row as seen
     * @param emptied buckets that the move was decided against, whose recorded rows are deleted
     * @param kept buckets whose record stays, because their rows lie behind a tombstone
     */
    public record Sweep(Trace trace, List<Swap> undone, SortedSet<Integer> emptied, SortedSet<Integer> kept) {
        public Sweep {
            undone = List.copyOf(undone);
            emptied = Collections.unmodifiableSortedSet(new TreeSet<>(emptied));
            kept = Collections.unmodifiableSortedSet(new TreeSet<>(kept));
        }
    }

    /** One fence row by compare-and-swap. */
    public record Swap(FenceRow from, FenceRow to) {}
}
