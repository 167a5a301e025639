package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import java.util.Optional;

/**
 * What a policy says and does now.
 *
 * @param accepted False when another policy is in force, or a window of this one cannot be read
 * @param resolved whether the cluster can be planned for
 * @param approved whether the plan may run
 * @param balance whether anything would have to move; absent while nothing is known
 * @param shown the plan to show, without its time
 * @param create the moves of the shown plan are to be made
 */
record PolicyPlan(
        Verdict accepted,
        Verdict resolved,
        Optional<Verdict> approved,
        Optional<Verdict> balance,
        Optional<Plan> shown,
        boolean create,
        String nextAction) {

    PolicyPlan withNextAction(String action) {
        return new PolicyPlan(accepted, resolved, approved, balance, shown, create, action);
    }

    record Verdict(ConditionStatus status, Reason reason, String message) {
        static Verdict yes(Reason reason) {
            return new Verdict(ConditionStatus.TRUE, reason, reason.meaning());
        }

        static Verdict yes(Reason reason, String message) {
            return new Verdict(ConditionStatus.TRUE, reason, message);
        }

        static Verdict no(Reason reason, String message) {
            return new Verdict(ConditionStatus.FALSE, reason, message);
        }
    }
}
