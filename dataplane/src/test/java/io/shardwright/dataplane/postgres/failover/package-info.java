/**
 * Failovers of either shard in the middle of a move, with real servers: each shard is a primary and a synchronous standby
 * that stalls, and is promoted, at a moment that the test chooses. The numbers are those of the failure cases in the
 * move's design.
 */
package io.shardwright.dataplane.postgres.failover;
