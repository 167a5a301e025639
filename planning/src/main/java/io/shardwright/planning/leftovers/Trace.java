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
 * @param demoted buckets of which this shard was closed as the older of two owners, and whose rows nobody has compared yet
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
        SortedSet<Integer> demoted,
        List<String> unknown,
        String mark) {
    public Trace {
        rows = Collections.unmodifiableSortedSet(new TreeSet<>(rows));
        demoted = Collections.unmodifiableSortedSet(new TreeSet<>(demoted));
        unknown = List.copyOf(unknown);
    }

    /** @param active somebody reads from it; one that is recorded and was never made is not active */
    public record Slot(String name, boolean active) {}

    /** Of a move of keys, and nothing else that is not understood. What keys are is known to the databases only. */
    boolean isOfKeys() {
        return !unknown.isEmpty() && unknown.stream().allMatch(record -> record.matches("(rows|undecided) k:.*"));
    }

    /** A key of which this shard alone cannot tell whether its move still decides something. */
    boolean hasUndecidedKeys() {
        return unknown.stream().anyMatch(record -> record.startsWith("undecided "));
    }

    /** The owner could be fenced from here, or its log is kept here. */
    boolean isSource() {
        return claimed || slot.isPresent();
    }
}
