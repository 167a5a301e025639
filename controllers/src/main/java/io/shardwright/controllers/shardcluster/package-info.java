/**
 * ShardCluster: looks at the shards, adopts the placement that they hold, installs the fence, and keeps the routing table at
 * the truth of the fences. Nothing is installed and no row is touched while anything is unclear.
 */
package io.shardwright.controllers.shardcluster;
