/** Where physical connections come from: one pool per shard, made by the application's factory. */
package io.shardwright.client.pools;
