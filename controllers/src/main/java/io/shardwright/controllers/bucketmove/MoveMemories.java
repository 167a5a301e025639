package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MoveObservation.Leg;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** What this leader remembers of moves that are not terminal; nothing of it is needed to go on after a restart. */
final class MoveMemories implements AutoCloseable {
    private final LongSupplier nanos;
    private final Map<String, Memory> memories = new ConcurrentHashMap<>();

    MoveMemories(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Of one leg: each has a mover of its own, and leads routers to another shard. */
    record LegMemory(MoverSeat seat, HandoverClock clock, OpenGate cleanupGate) {
        private static LegMemory fresh(LongSupplier nanos) {
            return new LegMemory(new MoverSeat(nanos), new HandoverClock(nanos), new OpenGate());
        }
    }

    /** @param attemptsBefore to switch, as the status knew when this process met the move */
    record Memory(LegMemory there, LegMemory back, LegTurn turn, int attemptsBefore) {
        LegMemory of(Leg leg) {
            return leg == Leg.THERE ? there : back;
        }

        List<MoverSeat> seats() {
            return List.of(there.seat(), back.seat());
        }

        /** To switch, by all movers of both legs. */
        int attempts() {
            return attemptsBefore
                    + seats().stream().mapToInt(MoverSeat::attempts).sum();
        }
    }

    Memory of(BucketMove move) {
        return memories.computeIfAbsent(
                move.getMetadata().getUid(),
                uid -> new Memory(LegMemory.fresh(nanos), LegMemory.fresh(nanos), new LegTurn(), attempts(move)));
    }

    private static int attempts(BucketMove move) {
        return Optional.ofNullable(move.getStatus())
                .map(BucketMoveStatus::hold)
                .map(BucketMoveStatus.Hold::attempts)
                .orElse(0);
    }

    /** Closes the movers of a move that has ended or is gone; its objects in the databases are not touched. */
    void forget(BucketMove move) {
        forget(move.getMetadata().getUid());
    }

    private void forget(String uid) {
        Memory memory = memories.remove(uid);
        if (memory != null) {
            memory.seats().forEach(MoverSeat::close);
        }
    }

    @Override
    public void close() {
        memories.keySet().forEach(this::forget);
    }
}
