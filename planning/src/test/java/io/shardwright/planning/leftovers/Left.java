package io.shardwright.planning.leftovers;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** A look at the shards of a cluster in the making, for tests: what stands there, and which moves exist. */
final class Left {
    static final UUID GONE = new UUID(0, 1);
    static final UUID OTHER = new UUID(0, 2);
    static final UUID BACK = reversal(GONE);
    static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final SortedMap<String, Map<Integer, FenceRow>> fences = new TreeMap<>();
    private final List<Trace> traces = new ArrayList<>();
    private final SortedMap<String, SortedSet<String>> strangers = new TreeMap<>();
    private final Set<UUID> live = new HashSet<>();

    static UUID reversal(UUID move) {
        return UUID.nameUUIDFromBytes(("back of " + move).getBytes(StandardCharsets.UTF_8));
    }

    Left row(String shard, int bucket, FenceState state, long epoch, UUID move) {
        fences.computeIfAbsent(shard, any -> new TreeMap<>())
                .put(bucket, new FenceRow(bucket, state, epoch, state == FenceState.MOVED ? "T" : null, move));
        return this;
    }

    Left owned(String shard, int bucket, long epoch) {
        return row(shard, bucket, FenceState.OWNED, epoch, null);
    }

    Left moved(String shard, int bucket, long epoch, UUID move) {
        return row(shard, bucket, FenceState.MOVED, epoch, move);
    }

    Left importing(String shard, int bucket, long epoch, UUID move) {
        return row(shard, bucket, FenceState.IMPORTING, epoch, move);
    }

    Left aborted(String shard, int bucket, long epoch, UUID move) {
        return row(shard, bucket, FenceState.ABORTED, epoch, move);
    }

    /** Claim, heartbeats and a slot that nobody reads. */
    Left source(String shard, UUID move, Integer... rows) {
        return trace(shard, move, true, false, Optional.of(new Trace.Slot(slot(move), false)), rows);
    }

    Left read(String shard, UUID move, Integer... rows) {
        return trace(shard, move, true, false, Optional.of(new Trace.Slot(slot(move), true)), rows);
    }

    Left target(String shard, UUID move, Integer... rows) {
        return trace(shard, move, false, true, Optional.empty(), rows);
    }

    Left records(String shard, UUID move, Integer... rows) {
        return trace(shard, move, false, false, Optional.empty(), rows);
    }

    Left trace(String shard, UUID move, boolean claimed, boolean filling, Optional<Trace.Slot> slot, Integer... rows) {
        return trace(new Trace(
                shard,
                move,
                claimed,
                filling,
                claimed,
                slot,
                new TreeSet<>(List.of(rows)),
                new TreeSet<>(),
                List.of(),
                "token"));
    }

    /** A move of keys could fence from here; its slot is there. */
    Left ofKeys(String shard, boolean read, String... records) {
        return trace(new Trace(
                shard,
                GONE,
                true,
                false,
                true,
                Optional.of(new Trace.Slot(slot(GONE), read)),
                new TreeSet<>(),
                new TreeSet<>(),
                List.of(records),
                "token"));
    }

    Left demoted(String shard, UUID move, Integer... buckets) {
        return trace(new Trace(
                shard,
                move,
                false,
                false,
                false,
                Optional.empty(),
                new TreeSet<>(),
                new TreeSet<>(List.of(buckets)),
                List.of(),
                "token"));
    }

    Left trace(Trace trace) {
        fences.computeIfAbsent(trace.shard(), any -> new TreeMap<>());
        traces.add(trace);
        return this;
    }

    Left stranger(String shard, String slot) {
        strangers.computeIfAbsent(shard, any -> new TreeSet<>()).add(slot);
        return this;
    }

    Left live(UUID... moves) {
        live.addAll(List.of(moves));
        return this;
    }

    static String slot(UUID move) {
        return "shardwright_" + move.toString().replace("-", "") + "_f";
    }

    LeftoverSight seen() {
        return new LeftoverSight(fences, traces, strangers, live, Left::reversal);
    }

    /** Seen so now, and a minute before. */
    SweepPlan plan() {
        return SweepPlanner.plan(seen(), first().sightings(), MINUTE);
    }

    SweepPlan first() {
        return SweepPlanner.plan(seen(), Sightings.NONE, 0);
    }
}
