package io.shardwright.plugin.plan;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import java.util.List;
import java.util.Optional;

/**
 * What the API server has of one cluster.
 *
 * @param name of the cluster
 * @param policies of the namespace
 * @param moves of the cluster, ended ones included
 */
record Stored(
        String namespace,
        String name,
        Optional<ShardCluster> cluster,
        List<ShardPolicy> policies,
        Optional<RoutingTable> table,
        List<BucketMove> moves) {}
