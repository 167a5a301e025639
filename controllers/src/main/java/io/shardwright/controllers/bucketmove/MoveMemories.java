package io.shardwright.controllers.bucketmove;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** What this leader remembers of moves that are not terminal; nothing of it is needed to go on after a restart. */
final class MoveMemories implements AutoCloseable {
    private final LongSupplier nanos;
    private final Map<UUID, Memory> memories = new ConcurrentHashMap<>();

    MoveMemories(LongSupplier nanos) {
        this.nanos = nanos;
    }

    record Memory(MoverSeat seat, HandoverClock clock, OpenGate cleanupGate) {}

    Memory of(UUID moveId) {
        return memories.computeIfAbsent(
                moveId, id -> new Memory(new MoverSeat(nanos), new HandoverClock(nanos), new OpenGate()));
    }

    /** Closes the mover of a move that has ended or is gone; its objects in the databases are not touched. */
    void forget(UUID moveId) {
        Memory memory = memories.remove(moveId);
        if (memory != null) {
            memory.seat().close();
        }
    }

    @Override
    public void close() {
        memories.keySet().forEach(this::forget);
    }
}
