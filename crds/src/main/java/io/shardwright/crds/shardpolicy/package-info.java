/** ShardPolicy: what a team tolerates while its shards are rebalanced, and the plan that waits for approval. */
package io.shardwright.crds.shardpolicy;
