/**
 * ShardCluster: looks at the shards, adopts the placement that they hold, installs the fence, and keeps the routing table at
 * the truth of the fences. Nothing is installed and no row is touched while anything is unclear. Slowly,
 * and beside all this, {@code Sweeper} removes what moves without an object have left.
 */
package io.shardwright.controllers.shardcluster;
