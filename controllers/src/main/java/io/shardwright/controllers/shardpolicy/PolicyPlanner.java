package io.shardwright.controllers.shardpolicy;

import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.report.StatusText;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.controllers.shardcluster.ClusterHolds;
import io.shardwright.controllers.shardpolicy.PolicyPlan.Verdict;
import io.shardwright.crds.Names;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Made;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.PlanTexts;
import io.shardwright.meaning.Plans;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.placement.PlanApproval;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.placement.Quantity;
import io.shardwright.planning.placement.RebalancePlan;
import java.util.List;
import java.util.Optional;

/**
 * Decides what a policy proposes and whether it may run: pure. A plan runs when exactly its hash is approved; its moves are
 * made once for each approval, and making them counts as done when the status says so: a move that somebody deletes, or all of
 * them, is not made again ({@link Making}).
 */
final class PolicyPlanner {
    private static final String APPROVED = "the plan is approved; ";
    private static final String USED_UP = "the approval is used up: ";
    private static final int NAMED_MOVES = 4;
    /** Leaves room for what is said beside the command. */
    private static final int COMMAND_MAX = 400;

    private final PolicyObservation seen;
    private final Rebalancing spec;
    private final Optional<Plan> stored;
    private final Optional<Made> made;

    private PolicyPlanner(PolicyObservation seen) {
        this.seen = seen;
        this.spec = seen.policy().getSpec().rebalancing();
        this.stored = Optional.ofNullable(seen.policy().getStatus()).map(ShardPolicyStatus::plan);
        this.made = Making.of(seen.policy());
    }

    static PolicyPlan plan(PolicyObservation seen) {
        PolicyPlan plan = new PolicyPlanner(seen).plan();
        return PolicyChecks.advice(seen, plan.accepted())
                .map(plan::withNextAction)
                .orElse(plan);
    }

    private PolicyPlan plan() {
        String cluster = seen.policy().getSpec().clusterRef().name();
        if (!seen.isInForce()) {
            String other = seen.inForce().getMetadata().getName();
            return nothing(
                    Verdict.no(
                            Reason.POLICY_CONFLICT,
                            "spec.clusterRef: ShardPolicy " + other + " is older and in force for " + cluster
                                    + "; this one changes nothing"),
                    Verdict.yes(Reason.RESOLVED),
                    "delete this policy, or delete " + other + " to put this one in force");
        }
        Verdict accepted = PolicyChecks.accepted(seen);
        if (seen.cluster().isEmpty()) {
            return nothing(
                    accepted,
                    Verdict.no(
                            Reason.CLUSTER_NOT_FOUND,
                            "spec.clusterRef: there is no ShardCluster " + cluster + " in namespace " + namespace()),
                    "create the ShardCluster, or correct spec.clusterRef");
        }
        if (!Clusters.observed(seen.cluster().get())) {
            return unchanged(
                    accepted,
                    Verdict.no(
                            Reason.NOT_OBSERVED,
                            "the newest spec of ShardCluster " + cluster + " is being looked at first"));
        }
        Optional<String> unfit = unfit(seen.cluster().get());
        if (unfit.isPresent()) {
            return unchanged(
                    accepted, Verdict.no(Reason.CLUSTER_NOT_ACCEPTED, "ShardCluster " + cluster + ": " + unfit.get()));
        }
        RebalancePlan wanted = Plans.wanted(seen.inputs().orElseThrow(), spec);
        return mode(wanted) == Rebalancing.Mode.MANUAL ? manual(accepted, wanted) : judge(accepted, wanted);
    }

    private Rebalancing.Mode mode(RebalancePlan wanted) {
        return Plans.mode(wanted, seen.inputs().orElseThrow(), seen.policy().getSpec());
    }

    private static PolicyPlan nothing(Verdict accepted, Verdict resolved, String nextAction) {
        return new PolicyPlan(
                accepted, resolved, Optional.empty(), Optional.empty(), Optional.empty(), false, nextAction);
    }

    /** What was said of the plan stays said while the cluster cannot be judged; a plan that runs goes on. */
    private PolicyPlan unchanged(Verdict accepted, Verdict resolved) {
        return new PolicyPlan(accepted, resolved, Optional.empty(), Optional.empty(), stored, false, null);
    }

    private Optional<String> unfit(ShardCluster cluster) {
        Optional<String> missing = Clusters.unfit(cluster);
        if (seen.inputs().isEmpty()) {
            return missing.or(() -> Optional.of("it has no routing table yet"));
        }
        return seen.detected().hidesProposals()
                ? missing.or(
                        () -> Optional.of("a detected key is known by its hash only, until a router asks for it again"))
                : missing;
    }

    private PolicyPlan manual(Verdict accepted, RebalancePlan wanted) {
        return new PolicyPlan(
                accepted,
                Verdict.yes(Reason.RESOLVED),
                Optional.of(Verdict.no(Reason.MANUAL, Reason.MANUAL.meaning())),
                Optional.of(balance(wanted)),
                Optional.empty(),
                false,
                null);
    }

    private Verdict balance(RebalancePlan wanted) {
        String message = String.join("; ", wanted.reasons());
        Verdict accepted = PolicyChecks.accepted(seen);
        if (wanted.empty() && accepted.reason() == Reason.PIN_UNFIT) {
            return accepted;
        }
        return wanted.empty()
                ? Verdict.yes(Reason.IN_BALANCE, message)
                : Verdict.no(
                        wanted.ofKeys() ? Reason.PINS_OPEN : Reason.OUT_OF_BALANCE,
                        wanted.moved() + " would have to move: " + message);
    }

    private PolicyPlan judge(Verdict accepted, RebalancePlan wanted) {
        String approvedHash = approvedHash(wanted);
        List<BucketMove> ofPlan = seen.moves().stream()
                .filter(move ->
                        !approvedHash.isEmpty() && MoveResources.isOfPlan(move, MoveResources.planLabel(approvedHash)))
                .filter(move -> !PlanHolds.isSpent(seen, move))
                .toList();
        boolean ended = ofPlan.stream().allMatch(MovePhases::hasEnded);
        PlanApproval.Verdict verdict = PlanApproval.judge(
                approvedHash, seen.inputs().orElseThrow(), PlanHolds.batches(seen, ofPlan), known(approvedHash));
        if (verdict instanceof PlanApproval.InProgress && !ended) {
            return running(accepted, wanted, approvedHash, ofPlan);
        }
        if (wanted.empty()) {
            return shown(accepted, wanted, Verdict.no(Reason.NO_PLAN, Reason.NO_PLAN.meaning()), false, null);
        }
        List<BucketMove> reversed = PlanHolds.reversed(seen, wanted);
        boolean automatic = mode(wanted) == Rebalancing.Mode.AUTOMATIC;
        if (automatic && !reversed.isEmpty() && !spec.approvedPlan().equals(wanted.hash())) {
            return takenBack(accepted, wanted, reversed);
        }
        return switch (verdict) {
            case PlanApproval.Approved approved -> approved(accepted, wanted);
            case PlanApproval.InProgress progress -> usedUp(accepted, wanted, approvedHash);
            case PlanApproval.AwaitingApproval awaiting -> awaiting(accepted, wanted);
            case PlanApproval.Void drifted ->
                shown(accepted, wanted, Verdict.no(Reason.PLAN_VOID, drifted.changed()), false, approve(wanted));
        };
    }

    /** As they may be read now: somebody may have hidden keys since they were seen. */
    private Optional<PlanInputs> known(String hash) {
        boolean hashKeys = seen.policy().getSpec().hotKeys().hashKeys();
        return seen.known().apply(hash).map(inputs -> hashKeys ? inputs.hidden() : inputs);
    }

    /**
     * In mode Automatic every plan is approved, but one after the other: what runs is finished first. Moves that soak have changed
     * the inputs already, and keep no next plan back.
     */
    private String approvedHash(RebalancePlan wanted) {
        if (mode(wanted) == Rebalancing.Mode.PROPOSE) {
            return spec.approvedPlan();
        }
        return stored.map(Plan::hash)
                .filter(hash -> seen.moves().stream()
                        .filter(move -> MoveResources.isOfPlan(move, MoveResources.planLabel(hash)))
                        .anyMatch(move -> isUnderWay(move, wanted)))
                .orElse(wanted.empty() ? "" : wanted.hash());
    }

    private static boolean isUnderWay(BucketMove move, RebalancePlan next) {
        return !MovePhases.hasEnded(move) && (next.empty() || !MovePhases.soaks(move));
    }

    /** The status says that all moves of this plan were made, and nobody has approved it anew since. */
    private boolean isMade(String hash) {
        return made.filter(one -> one.hash().equals(hash)).isPresent();
    }

    private PolicyPlan running(Verdict accepted, RebalancePlan wanted, String hash, List<BucketMove> ofPlan) {
        long done = ofPlan.stream()
                .filter(move -> MovePhases.of(move) == MovePhase.SUCCEEDED)
                .count();
        Optional<ClusterHolds.Hold> held = held();
        return new PolicyPlan(
                accepted,
                Verdict.yes(Reason.RESOLVED),
                Optional.of(Verdict.yes(
                        Reason.APPROVED,
                        succeeded(done, ofPlan.size())
                                + held.map(hold -> "; " + hold.message()).orElse(""))),
                Optional.of(balance(wanted)),
                stored.filter(plan -> plan.hash().equals(hash))
                        .or(() -> Optional.of(PlanTexts.ofMoves(
                                hash, ofPlan, seen.policy().getSpec().hotKeys().hashKeys()))),
                !isMade(hash),
                held.map(ClusterHolds.Hold::nextAction).orElse(null));
    }

    private static String succeeded(long done, int moves) {
        return done + " of " + Quantity.of(moves, "move") + " of the plan succeeded";
    }

    /** What keeps moves that have begun from their next step, too. */
    private Optional<ClusterHolds.Hold> held() {
        return seen.cluster()
                .flatMap(ClusterHolds::of)
                .filter(hold -> hold.reason() == Reason.SUSPENDED)
                .or(() -> PlanHolds.closed(seen));
    }

    /** A plan is stored before its moves are made, and so are the keys in it that only the status will remember. */
    private PolicyPlan approved(Verdict accepted, RebalancePlan wanted) {
        if (isMade(wanted.hash())) {
            return gone(accepted, wanted);
        }
        boolean isStored =
                stored.filter(plan -> plan.hash().equals(wanted.hash())).isPresent()
                        && seen.hotKeys().areRemembered();
        if (!isStored) {
            return shown(
                    accepted,
                    wanted,
                    Verdict.no(Reason.PENDING, APPROVED + "it is stored first, and its moves are made next"),
                    false,
                    null);
        }
        Optional<ClusterHolds.Hold> hold = PlanHolds.of(seen, wanted);
        if (hold.isPresent()) {
            return shown(
                    accepted,
                    wanted,
                    Verdict.no(hold.get().reason(), APPROVED + hold.get().message()),
                    false,
                    hold.get().nextAction());
        }
        return shown(
                accepted,
                wanted,
                Verdict.yes(Reason.APPROVED, succeeded(0, wanted.moves().size())),
                true,
                null);
    }

    /** Whoever took a move back knows something that the inputs do not show; the machine does not argue with it. */
    private PolicyPlan takenBack(Verdict accepted, RebalancePlan wanted, List<BucketMove> reversed) {
        List<String> names =
                reversed.stream().map(move -> move.getMetadata().getName()).toList();
        boolean own = seen.moves().stream()
                .anyMatch(move -> MoveResources.isOfPlan(move, MoveResources.planLabel(wanted.hash())));
        boolean usedUp = own && isMade(wanted.hash());
        String awaited = usedUp
                ? "their deletion and after it for approval, because its moves were made once already"
                : own ? "their deletion" : "approval, or for the deletion of the reversed moves";
        String then = usedUp
                ? "; then approve the plan anew, as is said here after that"
                : " lets it run" + (own ? "" : "; or " + approve(wanted));
        return shown(
                accepted,
                wanted,
                Verdict.no(
                        Reason.AWAITING_APPROVAL,
                        "mode Automatic makes no move again that was reversed ("
                                + StatusText.first(NAMED_MOVES, names) + "): plan " + wanted.hash()
                                + " would, and waits for " + awaited),
                false,
                delete(names) + then);
    }

    /** Of as many as the field takes; the others are named once these are gone. */
    private String delete(List<String> names) {
        StringBuilder command = new StringBuilder("kubectl delete bucketmove -n ").append(namespace());
        int named = 0;
        for (String name : names) {
            if (named > 0 && command.length() + name.length() > COMMAND_MAX) {
                break;
            }
            command.append(' ').append(name);
            named++;
        }
        int rest = names.size() - named;
        return rest == 0 ? command.toString() : command + " (and then " + rest + " more, which are named here next)";
    }

    private String namespace() {
        return seen.policy().getMetadata().getNamespace();
    }

    private PolicyPlan usedUp(Verdict accepted, RebalancePlan wanted, String approvedHash) {
        if (!wanted.hash().equals(approvedHash)) {
            return awaiting(accepted, wanted);
        }
        boolean anew = !isMade(approvedHash);
        String these = " -n " + namespace() + " -l " + Names.PLAN_LABEL + "=" + MoveResources.planLabel(approvedHash);
        return shown(
                accepted,
                wanted,
                Verdict.no(
                        Reason.AWAITING_APPROVAL,
                        (anew
                                        ? "the old moves of the plan stand in the way of new ones: they"
                                        : USED_UP + "the moves of the plan")
                                + " have ended, and its " + (wanted.ofKeys() ? "keys" : "buckets")
                                + " are where they were"),
                false,
                "see why: kubectl describe bucketmove" + these + "; to run the plan again: kubectl delete bucketmove"
                        + these + (anew ? "" : "; then approve it anew, as is said here after that"));
    }

    /** Whoever deletes a move has given it up, or takes away what it brought; only an approval has it made again. */
    private PolicyPlan gone(Verdict accepted, RebalancePlan wanted) {
        boolean spent = seen.moves().stream()
                .anyMatch(move -> MoveResources.isOfPlan(move, MoveResources.planLabel(wanted.hash()))
                        && PlanHolds.isSpent(seen, move));
        boolean named = spec.approvedPlan().equals(wanted.hash());
        return shown(
                accepted,
                wanted,
                Verdict.no(
                        Reason.AWAITING_APPROVAL,
                        USED_UP + "the moves of the plan were made once, and "
                                + (spent ? "what they brought has left again" : "somebody has deleted them")),
                false,
                named
                        ? "to run the plan again, approve it anew: first " + patch("")
                                + ", then as is said here after that"
                        : approve(wanted));
    }

    private PolicyPlan awaiting(Verdict accepted, RebalancePlan wanted) {
        return shown(
                accepted,
                wanted,
                Verdict.no(
                        Reason.AWAITING_APPROVAL,
                        "plan " + wanted.hash() + " moves " + wanted.moved() + " with "
                                + Quantity.of(wanted.moves().size(), "move") + " and waits for approval"
                                + held().map(hold -> "; " + hold.message()).orElse("")),
                false,
                approve(wanted));
    }

    private String approve(RebalancePlan wanted) {
        return "look at status.plan, then: " + patch(wanted.hash());
    }

    private String patch(String approvedPlan) {
        return "kubectl patch shardpolicy " + seen.policy().getMetadata().getName() + " -n " + namespace()
                + " --type=merge -p '{\"spec\":{\"rebalancing\":{\"approvedPlan\":\"" + approvedPlan + "\"}}}'";
    }

    private PolicyPlan shown(
            Verdict accepted, RebalancePlan wanted, Verdict approved, boolean create, String nextAction) {
        return new PolicyPlan(
                accepted,
                Verdict.yes(Reason.RESOLVED),
                Optional.of(approved),
                Optional.of(balance(wanted)),
                PlanTexts.shown(wanted),
                create,
                nextAction);
    }
}
