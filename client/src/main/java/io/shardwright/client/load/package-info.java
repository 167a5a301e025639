/**
 * What this process asks of its shards: how often, for which keys, and how long it took. The path of a statement writes into one of
 * sixteen stripes; every slice of about ten seconds they are put together and go to the operator with the acknowledgement.
 *
 * <p>A stripe keeps, for each shard, a {@link io.shardwright.client.load.KeySketch}: the keys that were asked for most, in bounded
 * memory, with bounds that certainly hold. Nothing is kept for an operator who does not listen: a slice that closes replaces
 * the one before.
 */
package io.shardwright.client.load;
