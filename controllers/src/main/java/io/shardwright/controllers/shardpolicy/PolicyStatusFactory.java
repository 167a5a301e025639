package io.shardwright.controllers.shardpolicy;

import io.shardwright.controllers.report.ConditionBook;
import io.shardwright.controllers.report.StatusText;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.HotKey;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Made;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Builds the status of a ShardPolicy, once and fresh; the only writer of its conditions. */
final class PolicyStatusFactory {
    static final ShardPolicyStatus NOTHING = new ShardPolicyStatus(null, null, null, null, null, null);

    private static final PolicyPlan.Verdict UNKNOWN = new PolicyPlan.Verdict(
            ConditionStatus.UNKNOWN, Reason.NOT_OBSERVED, "nothing is known of the cluster that could be planned");

    private PolicyStatusFactory() {}

    static ShardPolicyStatus status(ShardPolicy policy, PolicyPlan plan, List<HotKey> hotKeys, Instant now) {
        ShardPolicyStatus stored = Optional.ofNullable(policy.getStatus()).orElse(NOTHING);
        Long generation = policy.getMetadata().getGeneration();
        ConditionBook book = new ConditionBook(stored.conditions(), generation, now);
        say(book, ConditionType.ACCEPTED, plan.accepted());
        say(book, ConditionType.RESOLVED_REFS, plan.resolved());
        sayOrKeep(book, ConditionType.PLAN_APPROVED, plan.approved());
        sayOrKeep(book, ConditionType.IN_BALANCE, plan.balance());
        return new ShardPolicyStatus(
                generation,
                plan.shown().map(shown -> dated(shown, stored.plan(), now)).orElse(null),
                made(policy, plan).orElse(null),
                hotKeys,
                Optional.ofNullable(plan.nextAction()).map(StatusText::cut).orElse(null),
                book.done());
    }

    /**
     * The stored status, with the words of a pass that has failed. PlanApproved stays True when it is: the moves of the plan were
     * made, and go on.
     */
    static ShardPolicyStatus faulty(ShardPolicy policy, String message, Instant now) {
        ShardPolicyStatus stored = Optional.ofNullable(policy.getStatus()).orElse(NOTHING);
        ConditionBook book =
                new ConditionBook(stored.conditions(), policy.getMetadata().getGeneration(), now);
        if (Conditions.isTrue(stored.conditions(), ConditionType.PLAN_APPROVED)) {
            book.say(ConditionType.IN_BALANCE, ConditionStatus.UNKNOWN, Reason.OPERATOR_FAULT, message);
        } else {
            book.say(ConditionType.PLAN_APPROVED, ConditionStatus.FALSE, Reason.OPERATOR_FAULT, message);
        }
        return new ShardPolicyStatus(
                stored.observedGeneration(),
                stored.plan(),
                stored.made(),
                stored.hotKeys(),
                stored.nextAction(),
                book.keepOthers().done());
    }

    /** A status is stored when all moves are made, so what it names is done. */
    private static Optional<Made> made(ShardPolicy policy, PolicyPlan plan) {
        return plan.create()
                ? plan.shown()
                        .map(shown -> new Made(
                                shown.hash(), policy.getSpec().rebalancing().approvedPlan()))
                : Making.of(policy);
    }

    private static void say(ConditionBook book, ConditionType type, PolicyPlan.Verdict verdict) {
        book.say(type, verdict.status(), verdict.reason(), verdict.message());
    }

    private static void sayOrKeep(ConditionBook book, ConditionType type, Optional<PolicyPlan.Verdict> verdict) {
        if (verdict.isPresent() || !book.keep(type)) {
            say(book, type, verdict.orElse(UNKNOWN));
        }
    }

    /** A plan keeps the time at which its hash was seen first. */
    private static Plan dated(Plan shown, Plan before, Instant now) {
        String since = before != null && before.hash().equals(shown.hash()) ? before.createdAt() : now.toString();
        return new Plan(
                shown.hash(),
                since,
                shown.moves(),
                shown.movedShare(),
                shown.lowerBound(),
                shown.imbalanceBefore(),
                shown.imbalanceAfter(),
                shown.reasons());
    }
}
