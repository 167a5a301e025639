package io.shardwright.controllers.shardpolicy;

import io.shardwright.controllers.report.Transition;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.meaning.DetectedKeys;
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
 * @param inputs of a plan, detected keys among them; empty while there is no table
 * @param hotKeys what detection has found
 * @param moves of the cluster, terminal ones included
 * @param known inputs of a hash, when this process has seen them; they only make messages precise
 */
record PolicyObservation(
        ShardPolicy policy,
        ShardPolicy inForce,
        Hours hours,
        Optional<ShardCluster> cluster,
        Optional<PlanInputs> inputs,
        FoundKeys hotKeys,
        List<BucketMove> moves,
        Function<String, Optional<PlanInputs>> known) {
    PolicyObservation {
        moves = List.copyOf(moves);
    }

    boolean isInForce() {
        return inForce.getMetadata().getUid().equals(policy.getMetadata().getUid());
    }

    /** What detection says now. */
    DetectedKeys detected() {
        return hotKeys.now();
    }

    /** Something is detected, and it is this policy that says so. */
    boolean detects() {
        return isInForce() && policy.getSpec().hotKeys().detects();
    }

    /** What became of detected keys since the status was stored. */
    List<Transition> transitions() {
        return inputs.filter(any -> isInForce())
                .map(now -> HotKeyTransitions.of(
                        hotKeys.before().known(),
                        hotKeys.now().known(),
                        now.pinned().keySet()))
                .orElse(List.of());
    }
}
