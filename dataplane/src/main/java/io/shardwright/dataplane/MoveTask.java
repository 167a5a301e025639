package io.shardwright.dataplane;

import io.shardwright.routing.Scope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * One move: a pair of shards and a set of buckets that travel together.
 *
 * @param moveId the same for every mover of this move; sessions, slots and fence rows carry it
 * @param reversalOf the move that this one takes back: the rows are on the target already, which is the source of that move,
 *     and a stream that began before its first fence keeps them true. Empty for a move of its own
 */
public record MoveTask(
        UUID moveId,
        String cluster,
        ShardAccess source,
        ShardAccess target,
        ShardedSchema schema,
        SortedSet<Scope> scopes,
        Limits limits,
        Optional<UUID> reversalOf) {
    public MoveTask {
        if (scopes.stream().map(Scope::isKey).distinct().count() > 1) {
            throw new IllegalArgumentException("a move has either buckets or keys, not both: " + scopes);
        }
        scopes = Collections.unmodifiableSortedSet(new TreeSet<>(scopes));
    }

    public MoveTask(
            UUID moveId,
            String cluster,
            ShardAccess source,
            ShardAccess target,
            ShardedSchema schema,
            SortedSet<Scope> scopes,
            Limits limits) {
        this(moveId, cluster, source, target, schema, scopes, limits, Optional.empty());
    }

    /** It moves keys, each with a fence row of its own; otherwise it moves buckets. */
    public boolean ofKeys() {
        return Scope.areKeys(scopes);
    }

    /** The way back of this move: a move of its own from the target to the source. */
    public MoveTask reversal() {
        return new MoveTask(reversalId(moveId), cluster, target, source, schema, scopes, limits, Optional.of(moveId));
    }

    /** Follows from the move's own, so that whoever finds it in a fence row knows what it belongs to. */
    public static UUID reversalId(UUID moveId) {
        return UUID.nameUUIDFromBytes(("shardwright reversal of " + moveId).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * @param writeHoldBudget longest predicted hold that a switch may have
     * @param drainTimeout longest wait for writers in flight per attempt
     * @param pauseMax a fence that is not activated by then is decided against
     * @param lagGateBytes the stream must be within this many bytes of the log's end before a switch
     * @param switchGroup buckets switched under one hold, 1..16
     * @param acceptAsyncStandby move although a failover could lose the fence commit
     * @param throttling what the move may take from both shards while it can wait
     */
    public record Limits(
            Duration writeHoldBudget,
            Duration drainTimeout,
            Duration pauseMax,
            long lagGateBytes,
            int switchGroup,
            boolean acceptAsyncStandby,
            Throttling throttling) {
        public Limits(
                Duration writeHoldBudget,
                Duration drainTimeout,
                Duration pauseMax,
                long lagGateBytes,
                int switchGroup,
                boolean acceptAsyncStandby) {
            this(
                    writeHoldBudget,
                    drainTimeout,
                    pauseMax,
                    lagGateBytes,
                    switchGroup,
                    acceptAsyncStandby,
                    Throttling.DEFAULTS);
        }

        public static Limits defaults() {
            return new Limits(
                    Duration.ofMillis(300), Duration.ofMillis(150), Duration.ofSeconds(2), 64 * 1024, 1, false);
        }
    }
}
