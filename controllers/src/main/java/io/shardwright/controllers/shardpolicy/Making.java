package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Made;
import java.util.Optional;

/**
 * Which plan's moves were made last. An approval, and mode Automatic, is good for one making: a move that somebody deletes was
 * given up, as by an abort. Setting {@code approvedPlan} to the hash, when it was not that before, approves another one.
 */
final class Making {
    private Making() {}

    /** What the status remembers, with the approval of now; empty when the plan was approved anew since. */
    static Optional<Made> of(ShardPolicy policy) {
        String approved = policy.getSpec().rebalancing().approvedPlan();
        return Optional.ofNullable(policy.getStatus())
                .map(ShardPolicyStatus::made)
                .filter(made ->
                        !approved.equals(made.hash()) || made.approvedPlan().equals(made.hash()))
                .map(made -> new Made(made.hash(), approved));
    }
}
