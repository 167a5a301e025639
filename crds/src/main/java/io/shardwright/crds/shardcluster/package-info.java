/** ShardCluster: the topology that a team declares, and what was found of it. */
package io.shardwright.crds.shardcluster;
