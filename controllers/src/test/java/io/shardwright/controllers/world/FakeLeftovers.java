package io.shardwright.controllers.world;

import io.shardwright.dataplane.Leftovers;
import io.shardwright.dataplane.MoveTrace;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardTraces;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.SweepOrder;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** What moves have written down in a {@link FenceWorld}; a test says what, for its movers write down nothing. */
public final class FakeLeftovers implements Leftovers {
    private final FenceWorld world;
    private final SortedMap<String, SortedMap<UUID, MoveTrace>> traces = new TreeMap<>();

    public FakeLeftovers(FenceWorld world) {
        this.world = world;
    }

    /** Claim, slot and the records of a bucket, as on the source of a move. */
    public void leaveSource(String shard, UUID move, int bucket) {
        leave(
                shard,
                trace(move, true, Optional.of("shardwright_" + move.toString().replace("-", "") + "_f"), bucket));
    }

    /** Progress and the record of a bucket, as on the target of a move. */
    public void leaveTarget(String shard, UUID move, int bucket) {
        leave(shard, trace(move, false, Optional.empty(), bucket));
    }

    private static MoveTrace trace(UUID move, boolean source, Optional<String> slot, int bucket) {
        return new MoveTrace(
                move,
                source,
                !source,
                0,
                slot,
                false,
                new TreeSet<>(List.of(bucket)),
                new TreeSet<>(),
                List.of(),
                new TreeSet<>(List.of("token")));
    }

    private synchronized void leave(String shard, MoveTrace trace) {
        traces.computeIfAbsent(shard, any -> new TreeMap<>()).put(trace.move(), trace);
    }

    public synchronized boolean has(String shard, UUID move) {
        return traces.getOrDefault(shard, new TreeMap<>()).containsKey(move);
    }

    @Override
    public synchronized ShardTraces look(ShardAccess shard) throws ShardException {
        if (!world.readable(shard)) {
            throw new ShardException(shard.shard() + " does not answer", false, null);
        }
        return new ShardTraces(
                world.fence(shard.instances().getFirst().host()),
                List.copyOf(traces.getOrDefault(shard.shard(), new TreeMap<>()).values()),
                new TreeSet<>());
    }

    @Override
    public synchronized void sweep(ShardAccess shard, ShardedSchema schema, SweepOrder order) throws ShardException {
        SortedMap<UUID, MoveTrace> here = traces.getOrDefault(shard.shard(), new TreeMap<>());
        if (!order.seen().equals(here.get(order.seen().move()))) {
            throw new ShardException("not any more as it was seen", false, null);
        }
        for (SweepOrder.Swap swap : order.undone()) {
            if (!world.swap(shard, swap.from().scope(), swap.from().state(), swap.to())) {
                throw new ShardException("not any more as it was seen", false, null);
            }
        }
        here.remove(order.seen().move());
        if (!order.kept().isEmpty()) {
            here.put(
                    order.seen().move(),
                    new MoveTrace(
                            order.seen().move(),
                            false,
                            false,
                            0,
                            Optional.empty(),
                            false,
                            order.kept(),
                            new TreeSet<>(),
                            List.of(),
                            new TreeSet<>(List.of("swept"))));
        }
    }
}
