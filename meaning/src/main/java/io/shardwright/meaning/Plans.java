package io.shardwright.meaning;

import io.shardwright.crds.Percent;
import io.shardwright.crds.shardpolicy.HotKeyDetection;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.Rebalancing.Mode;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.planning.placement.Rebalancer;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Set;

/** The plan for a cluster under a policy: the one place where operator and plugin make it. */
public final class Plans {
    private Plans() {}

    public static RebalancePlan wanted(PlanInputs inputs, Rebalancing policy) {
        return Rebalancer.plan(inputs, Percent.parse(policy.tolerance()));
    }

    /**
     * Who decides about this plan: the strictest of those who want something in it. Detected keys go by the mode of detection, all
     * else by that of rebalancing. Where nothing has to move there is nothing to be strict about, and what runs is watched on.
     */
    public static Mode mode(RebalancePlan plan, PlanInputs inputs, ShardPolicySpec policy) {
        Mode rebalancing = policy.rebalancing().mode();
        if (!policy.hotKeys().detects()) {
            return rebalancing;
        }
        Mode detection =
                policy.hotKeys().detection().mode() == HotKeyDetection.Mode.AUTOMATIC ? Mode.AUTOMATIC : Mode.PROPOSE;
        if (plan.empty()) {
            return max(rebalancing, detection);
        }
        Set<Mode> asked = EnumSet.noneOf(Mode.class);
        plan.moves().stream()
                .flatMap(batch -> batch.scopes().stream())
                .forEach(scope -> asked.add(inputs.detected().contains(scope) ? detection : rebalancing));
        return asked.stream().min(Comparator.naturalOrder()).orElseThrow();
    }

    /** Modes stand in the order of their strictness, the strictest first. */
    private static Mode max(Mode one, Mode other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
