/** How shards are reached: from the words of a ShardCluster and the Secrets that it names. */
package io.shardwright.controllers.access;
