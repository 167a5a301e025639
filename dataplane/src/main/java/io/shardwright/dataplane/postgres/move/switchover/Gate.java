package io.shardwright.dataplane.postgres.move.switchover;

import java.util.OptionalDouble;

/** @param reason what was measured, or why the gate is closed */
public record Gate(boolean open, String reason, OptionalDouble predictedMs, long lagBytes) {}
