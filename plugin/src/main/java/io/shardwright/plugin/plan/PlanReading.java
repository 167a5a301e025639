package io.shardwright.plugin.plan;

import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.DetectedKeys;
import io.shardwright.meaning.Detection;
import io.shardwright.meaning.KeyNames;
import io.shardwright.meaning.Pins;
import io.shardwright.meaning.PlanTexts;
import io.shardwright.meaning.Plans;
import io.shardwright.meaning.Policies;
import io.shardwright.meaning.Tables;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.planning.placement.Quantity;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.plugin.Phases;
import io.shardwright.plugin.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Makes the plan as the operator makes it, and says what stands between it and its moves: pure. */
final class PlanReading {
    private final Stored stored;
    private final Manifest file;
    private final ShardCluster cluster;
    private final Optional<ShardPolicy> policy;
    private final PlanInputs inputs;
    private final RebalancePlan plan;
    private final boolean hidden;

    private PlanReading(Stored stored, Manifest file, ShardCluster now, io.shardwright.routing.RoutingTable table) {
        this.stored = stored;
        this.file = file;
        this.cluster = Changed.cluster(now, file, owners(table));
        this.policy = Policies.inForce(Changed.policies(stored, file), stored.name());
        DetectedKeys detected = DetectedKeys.of(policy, KeyNames.of(cluster.getSpec(), table, policy, stored.moves()));
        this.inputs = Clusters.planInputs(cluster, table, policy.map(ShardPolicy::getSpec), detected);
        this.plan = Plans.wanted(inputs, Policies.specOf(policy).rebalancing());
        this.hidden = policy.filter(one -> one.getSpec().hotKeys().detects()).isPresent() && detected.hidesProposals();
    }

    private static Set<String> owners(io.shardwright.routing.RoutingTable table) {
        Set<String> owners = new TreeSet<>(table.bucketMap().values());
        owners.addAll(table.pins().values());
        return owners;
    }

    /** @throws Refusal when there is nothing to plan from, or the file would not be accepted */
    static PlanView view(Stored stored, Manifest file) {
        ShardCluster cluster = stored.cluster()
                .orElseThrow(() -> new Refusal(
                        "there is no ShardCluster " + stored.name() + " in namespace " + stored.namespace()
                                + ": nothing moves when a new one is applied, the operator adopts what lies where",
                        "apply it, and plan when it has a routing table"));
        RoutingTable table = stored.table()
                .orElseThrow(() -> new Refusal(
                        "ShardCluster " + stored.name()
                                + " has no routing table yet: nobody knows who owns which bucket",
                        "see why: kubectl -n " + stored.namespace() + " describe shardcluster " + stored.name()));
        return new PlanReading(stored, file, cluster, Tables.table(table)).view();
    }

    private PlanView view() {
        return new PlanView(
                stored.namespace(),
                stored.name(),
                plan.hash(),
                plan.empty(),
                plan.movedBuckets(),
                cluster.getSpec().sharding().buckets(),
                PlanTexts.shown(plan).orElse(null),
                plan.reasons(),
                isApproved(),
                notes(),
                nextAction().orElse(null));
    }

    private boolean isApproved() {
        return policy.map(found -> found.getSpec().rebalancing().approvedPlan())
                .filter(plan.hash()::equals)
                .isPresent();
    }

    private Optional<String> nextAction() {
        boolean askable = !plan.empty()
                && !isApproved()
                && !hidden
                && policy.map(ShardPolicy::getSpec)
                        .filter(spec -> Plans.mode(plan, inputs, spec) == Rebalancing.Mode.PROPOSE)
                        .isPresent();
        return askable
                ? Optional.of((file == Manifest.NONE ? "" : "when the file is applied, ") + "approve it: kubectl -n "
                        + stored.namespace() + " patch shardpolicy "
                        + policy.orElseThrow().getMetadata().getName()
                        + " --type=merge -p '{\"spec\":{\"rebalancing\":{\"approvedPlan\":\"" + plan.hash() + "\"}}}'")
                : Optional.empty();
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        unfit().ifPresent(notes::add);
        mode().ifPresent(notes::add);
        notInForce().ifPresent(notes::add);
        pinFault().ifPresent(notes::add);
        targetFault().ifPresent(notes::add);
        hiddenKeys().ifPresent(notes::add);
        underWay().ifPresent(notes::add);
        otherPlan().ifPresent(notes::add);
        return notes;
    }

    /** The operator plans for what it has looked at and accepted. */
    private Optional<String> unfit() {
        boolean observed = file != Manifest.NONE ? cluster.getStatus() != null : Clusters.observed(cluster);
        return observed
                ? Clusters.unfit(cluster)
                        .map(why ->
                                "the operator makes no plan now: " + why + " of the ShardCluster (kubectl describe)")
                : Optional.of("the operator has not looked at the newest spec of the ShardCluster yet");
    }

    private Optional<String> mode() {
        if (policy.isEmpty()) {
            return Optional.of(
                    "there is no ShardPolicy for this cluster: the operator makes no plan until there is one;"
                            + " the defaults are taken here");
        }
        String whose =
                plan.moves().stream().flatMap(batch -> batch.scopes().stream()).allMatch(inputs.detected()::contains)
                                && !plan.empty()
                        ? "hotKeys.detection.mode"
                        : "rebalancing.mode";
        return switch (Plans.mode(plan, inputs, policy.get().getSpec())) {
            case MANUAL -> Optional.of(whose + " is Manual: the operator makes no plan");
            case AUTOMATIC -> Optional.of(whose + " is Automatic: the plan needs no approval");
            case PROPOSE -> Optional.empty();
        };
    }

    /** The operator knows the keys from routers; here nobody does. */
    private Optional<String> hiddenKeys() {
        return hidden
                ? Optional.of(
                        "detected keys are proposed and shown as hashes only (hashKeys), so their moves are not in this"
                                + " plan: the operator's own is in the status of the ShardPolicy")
                : Optional.empty();
    }

    private Optional<String> notInForce() {
        return file.policies().stream()
                .filter(written -> written.getSpec().clusterRef().name().equals(stored.name()))
                .map(written -> written.getMetadata().getName())
                .filter(name -> !name.equals(policy.orElseThrow().getMetadata().getName()))
                .findFirst()
                .map(name -> "ShardPolicy " + name + " of the file changes nothing: "
                        + policy.orElseThrow().getMetadata().getName() + " is older and in force");
    }

    private Optional<String> pinFault() {
        return policy.flatMap(found ->
                        Pins.of(found.getSpec().hotKeys(), cluster.getSpec()).fault())
                .map(fault -> "pins are not obeyed, every key stays where it is: " + fault);
    }

    private Optional<String> targetFault() {
        return policy.flatMap(found -> Detection.of(found.getSpec().hotKeys(), cluster.getSpec())
                        .fault())
                .map(fault -> "no key is proposed: " + fault);
    }

    private Optional<String> underWay() {
        String approved = policy.map(found -> found.getSpec().rebalancing().approvedPlan())
                .orElse("");
        List<BucketMove> ofPlan = stored.moves().stream()
                .filter(move -> !approved.isEmpty() && isOf(move, approved))
                .filter(move -> !Phases.hasEnded(move))
                .toList();
        return ofPlan.isEmpty()
                ? Optional.empty()
                : Optional.of("the approved plan " + approved + " is under way: "
                        + Quantity.of(ofPlan.size(), "move")
                        + (ofPlan.size() == 1 ? " has" : " have")
                        + " not ended; this is what is left by the routing table of now");
    }

    /** The label carries the first digits of the hash. */
    private static boolean isOf(BucketMove move, String hash) {
        String label = Optional.ofNullable(move.getMetadata().getLabels())
                .map(labels -> labels.get(Names.PLAN_LABEL))
                .orElse("");
        return !label.isEmpty() && hash.startsWith(label);
    }

    private Optional<String> otherPlan() {
        if (file != Manifest.NONE || plan.empty()) {
            return Optional.empty();
        }
        return policy.map(ShardPolicy::getStatus)
                .map(ShardPolicyStatus::plan)
                .map(ShardPolicyStatus.Plan::hash)
                .filter(shown -> !shown.equals(plan.hash()))
                .map(shown -> "the status of the ShardPolicy still shows plan " + shown);
    }
}
