package io.shardwright.dataplane;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What one move has written down on one shard. Two looks show an equal one only when no mover was at work in between.
 *
 * @param claimed there is a claim: a mover may fence here
 * @param filling there is a progress row: a mover may write rows here
 * @param beats heartbeats so far, 0 when there are none
 * @param slot name by the record; empty when none is recorded
 * @param slotActive a walsender reads from it
 * @param rows buckets whose rows are recorded
 * @param demoted buckets of which this shard was the older of two owners, until somebody has compared its rows
 * @param unknown records of a kind that this version does not write
 * @param tokens of the movers that wrote all this
 */
public record MoveTrace(
        UUID move,
        boolean claimed,
        boolean filling,
        long beats,
        Optional<String> slot,
        boolean slotActive,
        SortedSet<Integer> rows,
        SortedSet<Integer> demoted,
        List<String> unknown,
        SortedSet<String> tokens) {
    public MoveTrace {
        rows = Collections.unmodifiableSortedSet(new TreeSet<>(rows));
        demoted = Collections.unmodifiableSortedSet(new TreeSet<>(demoted));
        unknown = List.copyOf(unknown);
        tokens = Collections.unmodifiableSortedSet(new TreeSet<>(tokens));
    }
}
