package io.shardwright.controllers.routers;

import io.shardwright.routing.Acknowledgement;
import java.util.List;
import java.util.OptionalLong;

/**
 * The newest acknowledgement of each router process of a cluster, ordered by instance and process.
 *
 * @param lastInterruption monotonic time when a process was last heard again after a silence or as a new boot; a gate that
 *     must be open without a break cannot have been open since before it
 */
public record HeardAcks(List<Heard> processes, OptionalLong lastInterruption) {
    public static final HeardAcks NONE = new HeardAcks(List.of(), OptionalLong.empty());

    public HeardAcks {
        processes = List.copyOf(processes);
    }

    /** @param heardNanos monotonic time of arrival */
    public record Heard(Acknowledgement ack, long heardNanos) {}
}
