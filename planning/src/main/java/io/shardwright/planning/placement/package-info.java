/** Which shard each bucket should be on, and the fewest moves that get it there. */
package io.shardwright.planning.placement;
