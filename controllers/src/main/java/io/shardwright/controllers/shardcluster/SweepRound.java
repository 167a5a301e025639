package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.Leftovers;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTrace;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardTraces;
import io.shardwright.dataplane.SweepOrder;
import io.shardwright.planning.leftovers.Finding;
import io.shardwright.planning.leftovers.LeftoverSight;
import io.shardwright.planning.leftovers.Sightings;
import io.shardwright.planning.leftovers.SweepPlan;
import io.shardwright.planning.leftovers.SweepPlanner;
import io.shardwright.planning.leftovers.Trace;
import io.shardwright.routing.FenceRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * One round over the shards of a cluster: look, ask which moves exist, plan, sweep, and look again until nothing more is due. The
 * databases are read first: whatever is written there, its move had an object before.
 */
final class SweepRound {
    private final Leftovers leftovers;
    private final ClusterTarget target;
    private final boolean acceptAsyncStandby;
    private final Supplier<Set<UUID>> moves;
    private final LongSupplier nanos;
    private final List<String> swept = new ArrayList<>();
    private Sightings sightings;

    /** @param moves ids of all that exist, by a quorum read */
    SweepRound(
            Leftovers leftovers,
            ClusterTarget target,
            boolean acceptAsyncStandby,
            Sightings before,
            Supplier<Set<UUID>> moves,
            LongSupplier nanos) {
        this.leftovers = leftovers;
        this.target = target;
        this.acceptAsyncStandby = acceptAsyncStandby;
        this.moves = moves;
        this.nanos = nanos;
        sightings = before;
    }

    /**
     * What stays.
     *
     * @param again something may go a minute later
     * @param silent why shards could not be read, by their names; then nothing was swept, and more may be left than was found
     */
    record Rest(List<Finding> findings, boolean again, SortedMap<String, String> silent) {}

    /** @throws ShardException when a shard did not do it; what was swept before is swept */
    Rest run() throws ShardException {
        while (true) {
            SortedMap<String, String> silent = new ConcurrentSkipListMap<>();
            SortedMap<String, ShardTraces> traces = new TreeMap<>();
            FanOut.onEach(target.shards(), shard -> look(shard, silent))
                    .forEach((name, seen) -> seen.ifPresent(one -> traces.put(name, one)));
            if (!silent.isEmpty()) {
                return new Rest(SweepPlanner.blind(sight(traces), silent.keySet()), true, silent);
            }
            SweepPlan plan = SweepPlanner.plan(sight(traces), sightings, nanos.getAsLong());
            sightings = plan.sightings();
            if (plan.due().isEmpty()) {
                return new Rest(plan.findings(), plan.again(), silent);
            }
            for (SweepPlan.Sweep due : plan.due()) {
                sweep(due, traces);
            }
        }
    }

    private Optional<ShardTraces> look(ShardAccess shard, SortedMap<String, String> silent) {
        try {
            return Optional.of(leftovers.look(shard));
        } catch (ShardException e) {
            silent.put(shard.shard(), e.getMessage());
            return Optional.empty();
        }
    }

    /** What has gone, in words. */
    List<String> swept() {
        return List.copyOf(swept);
    }

    Sightings sightings() {
        return sightings;
    }

    private void sweep(SweepPlan.Sweep due, SortedMap<String, ShardTraces> traces) throws ShardException {
        String name = due.trace().shard();
        MoveTrace seen = traces.get(name).moves().stream()
                .filter(trace -> trace.move().equals(due.trace().move()))
                .findFirst()
                .orElseThrow();
        ShardAccess shard = target.shards().stream()
                .filter(access -> access.shard().equals(name))
                .findFirst()
                .orElseThrow();
        List<SweepOrder.Swap> undone = due.undone().stream()
                .map(swap -> new SweepOrder.Swap(swap.from(), swap.to()))
                .toList();
        leftovers.sweep(
                shard, target.schema(), new SweepOrder(seen, undone, due.emptied(), due.kept(), acceptAsyncStandby));
        swept.add(words(due, seen));
    }

    private static String words(SweepPlan.Sweep due, MoveTrace seen) {
        List<String> parts = new ArrayList<>();
        seen.slot().ifPresent(slot -> parts.add("slot " + slot));
        if (!due.undone().isEmpty()) {
            parts.add("the fence rows of buckets "
                    + due.undone().stream().map(swap -> swap.to().bucket()).toList());
        }
        if (!due.emptied().isEmpty()) {
            parts.add("what was copied of buckets " + due.emptied());
        }
        parts.add("its records");
        return "shard " + due.trace().shard() + ": " + String.join(", ", parts) + " of move " + seen.move()
                + (due.kept().isEmpty() ? "" : "; the records of the rows of buckets " + due.kept() + " stay");
    }

    private LeftoverSight sight(SortedMap<String, ShardTraces> shards) {
        SortedMap<String, Map<Integer, FenceRow>> fences = new TreeMap<>();
        SortedMap<String, SortedSet<String>> strangers = new TreeMap<>();
        List<Trace> traces = new ArrayList<>();
        shards.forEach((shard, seen) -> {
            fences.put(shard, seen.fence());
            strangers.put(shard, seen.strangers());
            seen.moves().forEach(move -> traces.add(trace(shard, move)));
        });
        boolean nothing = traces.isEmpty() && strangers.values().stream().allMatch(SortedSet::isEmpty);
        return new LeftoverSight(fences, traces, strangers, nothing ? Set.of() : moves.get(), MoveTask::reversalId);
    }

    private static Trace trace(String shard, MoveTrace seen) {
        return new Trace(
                shard,
                seen.move(),
                seen.claimed(),
                seen.filling(),
                seen.beats() > 0,
                seen.slot().map(slot -> new Trace.Slot(slot, seen.slotActive())),
                seen.rows(),
                seen.demoted(),
                seen.unknown(),
                seen.beats() + " " + seen.tokens());
    }
}
