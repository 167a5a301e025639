package io.shardwright.planning.leftovers;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What one move has written down on one shard. Two looks show an equal one only when no mover was at work in between.
 *
 * @param claimed a mover may fence here: this is its source
 * @param filling a mover may write rows here: this is its target
 * @param beats heartbeats are there
 * @param slot by its record; empty when none is recorded
 * @param rows buckets whose rows are recorded
 * @param unknown records that this version does not understand
 * @param mark tokens, heartbeats and whatever else changes while somebody works
 */
public record Trace(
        String shard,
        UUID move,
        boolean claimed,
        boolean filling,
        boolean beats,
        Optional<Slot> slot,
        SortedSet<Integer> rows,
        List<String> unknown,
        String mark) {
    public Trace {
        rows = Collections.unmodifiableSortedSet(new TreeSet<>(rows));
        unknown = List.copyOf(unknown);
    }

    /** @param active somebody reads from it; one that is recorded and was never made is not active */
    public record Slot(String name, boolean active) {}

    /** The owner could be fenced from here, or its log is kept here. */
    boolean isSource() {
        return claimed || slot.isPresent();
    }
}
