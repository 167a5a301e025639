/**
 * Failovers of either shard in the middle of a move, with real servers: each shard is a primary and a synchronous standby
 * that stalls, and is promoted, at a moment that the test chooses. The numbers are those of the failure cases in the
 * move's design.
 *
 * <p>{@code KillPlanIT} needs no failover but every other fault: each {@code Story} is brought to its end whatever is struck on
 * the way, by movers inside of this process or, as the reference, by processes that are killed.
 */
package io.shardwright.dataplane.postgres.failover;
