package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveReport.Truth;

/** Reads the truth of both sides, and shows it to whoever follows the mover. */
@FunctionalInterface
public interface Look {
    Truth now() throws MoverFault;
}
