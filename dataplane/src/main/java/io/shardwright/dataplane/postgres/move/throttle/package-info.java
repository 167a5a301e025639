/**
 * What makes a move wait: its shards are looked at once in a while, and work that can wait (a chunk of the copy, a comparison, a
 * batch of a cleanup, a switch) asks first. Nobody knows is a reason to wait. The stream never asks: what it does not take stays
 * in the source's log.
 *
 * <p>{@code Regulator} decides and has no clock and no session; {@code ShardProbe} asks one server; {@code Throttle} is where
 * those who look and those who wait meet; {@code Turns} keeps all looks out of a hold.
 */
package io.shardwright.dataplane.postgres.move.throttle;
