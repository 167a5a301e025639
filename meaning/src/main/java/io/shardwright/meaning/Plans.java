package io.shardwright.meaning;

import io.shardwright.crds.Percent;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.planning.placement.Rebalancer;

/** The plan for a cluster under a policy: the one place where operator and plugin make it. */
public final class Plans {
    private Plans() {}

    public static RebalancePlan wanted(PlanInputs inputs, Rebalancing policy) {
        return Rebalancer.plan(inputs, Percent.parse(policy.tolerance()));
    }
}
