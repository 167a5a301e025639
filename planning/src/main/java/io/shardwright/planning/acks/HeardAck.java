package io.shardwright.planning.acks;

import io.shardwright.routing.Acknowledgement;
import java.time.Duration;

/**
 * An acknowledgement with the time since it was heard, by the leader's monotonic clock.
 *
 * @param said what the process said last
 */
public record HeardAck(Acknowledgement said, Duration age) {}
