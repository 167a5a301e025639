package io.shardwright.operator.feed;

import io.shardwright.routing.Acknowledgement;

/** Where acknowledgements go on the leader. */
@FunctionalInterface
public interface AckTaker {
    /** @return false when it was dropped as older than what the same process said before */
    boolean accept(String namespace, String cluster, Acknowledgement ack, long nowNanos);
}
