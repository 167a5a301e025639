package io.shardwright.dataplane.postgres.move.throttle;

import io.shardwright.dataplane.postgres.probe.Space;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What one look at the primary of a shard showed.
 *
 * @param began when it was asked, by the nanoseconds of this process: what it said may be that old
 * @param answered when it had said it
 * @param logEnd up to where its log is flushed
 * @param standbys that are connected
 * @param commitMs how long a commit took there; of a target
 * @param space of a target whose capacity is declared
 * @param slot of the move, on a source that has it
 */
record ShardReading(
        long began,
        long answered,
        long logEnd,
        List<Standby> standbys,
        OptionalDouble commitMs,
        Optional<Space> space,
        Optional<Slot> slot) {
    ShardReading {
        standbys = List.copyOf(standbys);
    }

    /** @param replayed empty = it has not said yet */
    record Standby(String name, OptionalLong replayed) {}

    /** @param limit the server's own for any slot; empty = it has none */
    record Slot(long retained, OptionalLong limit) {}
}
