package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckGate;
import io.shardwright.routing.FenceRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Everything the move planner may look at, read by the observer in one pass.
 *
 * @param stored phase of the status, PENDING when there is none
 * @param abortWanted intent Abort, or the object is being deleted
 * @param refusal why the spec cannot be accepted (another object is needed: cluster, shards, owners); empty = accepted
 * @param blockedBy what the arbiter makes it wait for; only asked while nothing has begun
 * @param switchSlotFree no other move of the cluster is in SWITCHING on one of the two databases
 * @param truth fence rows of both sides; empty = unread or one side unreadable: decide nothing

 * @param sinceGateOpen how long this leader has seen the cleanup gate continuously true, by its monotonic clock
 */
public record MoveObservation(
        UUID moveId,
        String from,
        String to,
        SortedSet<Integer> buckets,
        int switchGroup,
        MovePhase stored,
        boolean abortWanted,
        Optional<String> refusal,
        List<MoveDecision.Blocker> blockedBy,
        boolean switchSlotFree,
        Optional<Truth> truth,
        MoverView mover,
        TableView table,
        AckGate announcedAcks,
        AckGate workerAcks,
        AckGate webAcks,
        AckGate foldedAcks,
        Duration sinceGateOpen,
        int drainAttempts,
        Optional<Instant> nextAttemptAt,
        Instant now) {
    public MoveObservation {
        buckets = Collections.unmodifiableSortedSet(new TreeSet<>(buckets));
        blockedBy = List.copyOf(blockedBy);
    }

    public record Truth(SortedMap<Integer, FenceRow> source, SortedMap<Integer, FenceRow> target, boolean resumable) {}

    /** What this process's mover has reached; a fresh mover is at NONE whatever happened before. */
    public record MoverView(
            Stage stage, boolean busy, boolean gateOpen, String gateReason, Optional<Fault> fault) {}

    public enum Stage {
        NONE,
        VALIDATED,
        COPYING,
        CATCHING_UP,
        IN_SYNC,
        VERIFIED,
        ABORTED,
        CLEANED_UP
    }

    /** @param decidedAgainst the fault is the watchdog's or another abort: finish the abort */
    public record Fault(boolean curable, boolean decidedAgainst, String message, String nextAction) {}

    /**
     * What the published table says about the buckets of this move.
     *
     * @param announced buckets in a handover to the target
     * @param visibleToWorkers of these, those workers route by
     * @param visibleToWeb of these, those web processes route by
     * @param folded buckets whose entry in the bucket map is the target
     */
    public record TableView(
            SortedSet<Integer> announced,
            SortedSet<Integer> visibleToWorkers,
            SortedSet<Integer> visibleToWeb,
            SortedSet<Integer> folded,
            Map<String, Instant> since) {}
}
