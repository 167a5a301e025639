package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.windows.Hours;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Everything that decisions about a policy look at.
 *
 * @param inForce the policy that is in force for the cluster: this one, or an older one
 * @param hours whether windows and freezes of this policy let its moves begin now
 * @param inputs of a plan; empty while there is no table
 * @param moves of the cluster, terminal ones included
 * @param known inputs of a hash, when this process has seen them; they only make messages precise
 */
record PolicyObservation(
        ShardPolicy policy,
        ShardPolicy inForce,
        Hours hours,
        Optional<ShardCluster> cluster,
        Optional<PlanInputs> inputs,
        List<BucketMove> moves,
        Function<String, Optional<PlanInputs>> known) {
    PolicyObservation {
        moves = List.copyOf(moves);
    }
}
