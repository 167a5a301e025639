package io.shardwright.controllers.shardcluster;

import io.shardwright.controllers.report.ConditionBook;
import io.shardwright.controllers.report.StatusText;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.crds.Acks;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.Activity;
import io.shardwright.crds.shardcluster.ShardClusterStatus.Routing;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.Plans;
import io.shardwright.meaning.Policies;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.placement.Quantity;
import io.shardwright.planning.placement.RebalancePlan;
import io.shardwright.routing.Role;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** Builds the status of a ShardCluster, once and fresh; the only writer of its conditions. */
final class ClusterStatusFactory {
    private final ClusterObservation seen;
    private final ClusterPlan.Decision decision;
    private final ClusterWords words;
    private final Optional<ClusterHolds.Hold> hold;
    private final SortedMap<String, ClusterPlan.Refuse> aside;
    private final Optional<PublishedTable> table;
    private final ShardClusterStatus stored;
    private final Instant now;
    private final Optional<RebalancePlan> rebalancing;
    private final Optional<String> pinFault;
    private final Optional<LostTables> lost;

    private ClusterStatusFactory(
            ClusterObservation seen, ClusterPlan plan, Optional<PublishedTable> table, Instant now) {
        this.seen = seen;
        this.decision = plan.decision();
        this.words = new ClusterWords(seen, plan);
        this.aside = plan.aside();
        this.hold = ClusterHolds.of(seen.cluster());
        this.table = table;
        this.stored = Optional.ofNullable(seen.cluster().getStatus()).orElse(NOTHING);
        this.now = now;
        this.lost = LostTables.of(seen, plan);
        this.rebalancing = table.map(published -> Plans.wanted(
                Clusters.askedFor(seen.cluster(), published.table(), seen.policy()),
                Policies.specOf(seen.policy()).rebalancing()));
        this.pinFault = words.pinFault();
    }

    private static final ShardClusterStatus NOTHING =
            new ShardClusterStatus(null, null, null, null, null, null, null, null, null);

    /**
     * The status after a pass.
     *
     * @param table as it is stored after the pass
     */
    static ShardClusterStatus status(
            ClusterObservation seen, ClusterPlan plan, Optional<PublishedTable> table, Instant now) {
        return new ClusterStatusFactory(seen, plan, table, now).build();
    }

    /** The stored status, with the words of a pass that has failed. */
    static ShardClusterStatus faulty(ShardCluster cluster, String message, Instant now) {
        ShardClusterStatus stored = Optional.ofNullable(cluster.getStatus()).orElse(NOTHING);
        return new ShardClusterStatus(
                stored.observedGeneration(),
                stored.shardCount(),
                stored.shards(),
                stored.routing(),
                stored.activity(),
                stored.blockedBy(),
                stored.nextAction(),
                stored.capabilities(),
                new ConditionBook(stored.conditions(), cluster.getMetadata().getGeneration(), now)
                        .say(ConditionType.PROGRESSING, ConditionStatus.FALSE, Reason.OPERATOR_FAULT, message)
                        .say(ConditionType.READY, ConditionStatus.FALSE, Reason.OPERATOR_FAULT, message)
                        .keepOthers()
                        .done());
    }

    private ShardClusterStatus build() {
        ConditionBook conditions = new ConditionBook(
                stored.conditions(), seen.cluster().getMetadata().getGeneration(), now);
        accepted(conditions);
        reachable(conditions);
        fenceInstalled(conditions);
        balanced(conditions);
        progressing(conditions);
        ready(conditions);
        return new ShardClusterStatus(
                seen.cluster().getMetadata().getGeneration(),
                seen.cluster().getSpec().shards().size(),
                ShardFindings.of(seen, stored),
                routing(),
                activity(),
                words.blockedBy(stored, now),
                words.nextAction(rebalancing.filter(plan -> !plan.empty()).isPresent())
                        .map(StatusText::cut)
                        .orElse(null),
                capabilities(),
                conditions.done());
    }

    /** A cluster that goes is accepted no more, so that no move of it begins. */
    private void accepted(ConditionBook conditions) {
        Optional<ClusterPlan.Refuse> refusal = refusal(ConditionType.ACCEPTED);
        if (refusal.isPresent()) {
            conditions.say(
                    ConditionType.ACCEPTED,
                    ConditionStatus.FALSE,
                    refusal.get().reason(),
                    refusal.get().message());
        } else if (seen.cluster().isMarkedForDeletion()) {
            conditions.say(ConditionType.ACCEPTED, ConditionStatus.FALSE, Reason.MOVING, departure());
        } else {
            conditions.say(ConditionType.ACCEPTED, ConditionStatus.TRUE, Reason.ACCEPTED, Reason.ACCEPTED.meaning());
        }
    }

    private String departure() {
        return ClusterHolds.DEPARTURE + (seen.begun().isEmpty() ? "" : ": " + ClusterWords.names(seen.begun()));
    }

    private Optional<ClusterPlan.Refuse> refusal(ConditionType about) {
        return decision instanceof ClusterPlan.Refuse refuse && refuse.about() == about
                ? Optional.of(refuse)
                : Optional.empty();
    }

    private void reachable(ConditionBook conditions) {
        Optional<ClusterPlan.Refuse> refusal = refusal(ConditionType.REACHABLE);
        if (refusal.isPresent()) {
            conditions.say(
                    ConditionType.REACHABLE,
                    ConditionStatus.FALSE,
                    refusal.get().reason(),
                    refusal.get().message());
        } else if (seen.sight().isEmpty()) {
            conditions.say(
                    ConditionType.REACHABLE,
                    ConditionStatus.UNKNOWN,
                    Reason.NOT_OBSERVED,
                    Reason.NOT_OBSERVED.meaning());
        } else {
            int shards = seen.sight().get().shards().size() - aside.size();
            conditions.say(
                    ConditionType.REACHABLE,
                    ConditionStatus.TRUE,
                    Reason.ALL_REACHABLE,
                    "the primaries of all " + shards + " shards answer"
                            + (aside.isEmpty() ? "" : "; not counted: " + others()));
        }
    }

    private void fenceInstalled(ConditionBook conditions) {
        switch (decision) {
            case ClusterPlan.Guarded guarded ->
                conditions.say(
                        ConditionType.FENCE_INSTALLED,
                        ConditionStatus.TRUE,
                        Reason.INSTALLED,
                        aside.isEmpty()
                                ? Reason.INSTALLED.meaning()
                                : "the fence guards every sharded table of every shard but " + others());
            case ClusterPlan.Refuse refuse
            when refuse.about() == ConditionType.FENCE_INSTALLED ->
                conditions.say(ConditionType.FENCE_INSTALLED, ConditionStatus.FALSE, refuse.reason(), refuse.message());
            case ClusterPlan.Refuse refuse ->
                conditions.say(
                        ConditionType.FENCE_INSTALLED,
                        ConditionStatus.UNKNOWN,
                        Reason.NOT_OBSERVED,
                        "not all shards could be looked at");
            case ClusterPlan.Wait wait
            when seen.sight().isEmpty() ->
                conditions.say(
                        ConditionType.FENCE_INSTALLED,
                        ConditionStatus.UNKNOWN,
                        Reason.NOT_OBSERVED,
                        Reason.NOT_OBSERVED.meaning());
            case ClusterPlan.Wait wait ->
                conditions.say(ConditionType.FENCE_INSTALLED, ConditionStatus.FALSE, wait.reason(), wait.message());
            case ClusterPlan.Scan scan ->
                conditions.say(ConditionType.FENCE_INSTALLED, ConditionStatus.FALSE, Reason.ADOPTING, scan.message());
            case ClusterPlan.InstallFence install ->
                conditions.say(
                        ConditionType.FENCE_INSTALLED, ConditionStatus.FALSE, Reason.INSTALLING, install.message());
            case ClusterPlan.Adopt adopt ->
                conditions.say(
                        ConditionType.FENCE_INSTALLED, ConditionStatus.FALSE, Reason.INSTALLING, adopt.message());
        }
    }

    private String others() {
        return String.join(", ", aside.keySet()) + ", which nobody needs yet";
    }

    private void balanced(ConditionBook conditions) {
        if (rebalancing.isEmpty()) {
            conditions.say(
                    ConditionType.BALANCED,
                    ConditionStatus.UNKNOWN,
                    Reason.NOT_OBSERVED,
                    "there is no routing table yet");
            return;
        }
        RebalancePlan plan = rebalancing.get();
        boolean draining = seen.cluster().getSpec().shards().stream()
                .anyMatch(shard -> shard.weight() == 0
                        && table.map(PublishedTable::table)
                                .filter(known -> known.bucketMap().values().contains(shard.name())
                                        || known.pins().containsValue(shard.name()))
                                .isPresent());
        String message = plan.empty()
                ? String.join("; ", plan.reasons())
                : plan.moved() + " would have to move: " + String.join("; ", plan.reasons());
        Optional<String> leaving = plan.empty() ? words.leaving() : Optional.empty();
        if (leaving.isPresent()) {
            conditions.say(ConditionType.BALANCED, ConditionStatus.FALSE, Reason.DRAINING, leaving.get());
            return;
        }
        if (plan.empty() && pinFault.isPresent()) {
            conditions.say(ConditionType.BALANCED, ConditionStatus.FALSE, Reason.PIN_UNFIT, pinFault.get());
            return;
        }
        conditions.say(
                ConditionType.BALANCED,
                ConditionStatus.of(plan.empty()),
                plan.empty() ? Reason.IN_BALANCE : draining ? Reason.DRAINING : unbalanced(plan),
                message);
    }

    private static Reason unbalanced(RebalancePlan plan) {
        return plan.ofKeys() ? Reason.PINS_OPEN : Reason.OUT_OF_BALANCE;
    }

    private void progressing(ConditionBook conditions) {
        if (lost.isPresent()) {
            conditions.say(
                    ConditionType.PROGRESSING,
                    ConditionStatus.of(!lost.get().held()),
                    Reason.HISTORY_LOST,
                    lost.get().message());
            return;
        }
        if (hold.filter(held -> held.reason() == Reason.SUSPENDED).isPresent()) {
            conditions.say(ConditionType.PROGRESSING, ConditionStatus.FALSE, Reason.SUSPENDED, standstill());
            return;
        }
        if (!seen.unfinished().isEmpty()) {
            conditions.say(ConditionType.PROGRESSING, ConditionStatus.TRUE, Reason.MOVING, words.moving());
            return;
        }
        switch (decision) {
            case ClusterPlan.Guarded guarded -> settled(conditions);
            case ClusterPlan.Refuse refuse ->
                conditions.say(ConditionType.PROGRESSING, ConditionStatus.FALSE, Reason.BLOCKED, refuse.message());
            case ClusterPlan.Wait wait ->
                conditions.say(
                        ConditionType.PROGRESSING,
                        ConditionStatus.of(hold.filter(held -> held.reason() == wait.reason())
                                .isEmpty()),
                        wait.reason(),
                        wait.message());
            case ClusterPlan.Scan scan ->
                conditions.say(ConditionType.PROGRESSING, ConditionStatus.TRUE, Reason.ADOPTING, scan.message());
            case ClusterPlan.InstallFence install ->
                conditions.say(ConditionType.PROGRESSING, ConditionStatus.TRUE, Reason.INSTALLING, install.message());
            case ClusterPlan.Adopt adopt ->
                conditions.say(ConditionType.PROGRESSING, ConditionStatus.TRUE, Reason.ADOPTING, adopt.message());
        }
    }

    private String standstill() {
        return Reason.SUSPENDED.meaning() + (seen.unfinished().isEmpty() ? "" : " " + words.moving());
    }

    private void settled(ConditionBook conditions) {
        Reason reason = seen.mirrorFault()
                .map(fault -> Reason.OPERATOR_FAULT)
                .or(() -> hold.map(ClusterHolds.Hold::reason))
                .or(() -> words.aside().map(fault -> Reason.BLOCKED))
                .orElse(Reason.SETTLED);
        String message = seen.mirrorFault()
                .or(() -> hold.map(ClusterHolds.Hold::message))
                .or(words::aside)
                .orElse("nothing is under way");
        conditions.say(ConditionType.PROGRESSING, ConditionStatus.FALSE, reason, message);
    }

    private void ready(ConditionBook conditions) {
        if (decision instanceof ClusterPlan.Refuse refuse) {
            Reason reason = refuse.about() == ConditionType.ACCEPTED ? Reason.NOT_ACCEPTED : refuse.reason();
            conditions.say(ConditionType.READY, ConditionStatus.FALSE, reason, refuse.message());
        } else if (!conditions.isTrue(ConditionType.ACCEPTED)) {
            conditions.say(ConditionType.READY, ConditionStatus.FALSE, Reason.NOT_ACCEPTED, departure());
        } else if (!conditions.isTrue(ConditionType.FENCE_INSTALLED) || table.isEmpty()) {
            conditions.say(
                    ConditionType.READY,
                    ConditionStatus.FALSE,
                    Reason.OBSERVING,
                    "the fence does not guard every bucket yet");
        } else if (lost.isPresent()) {
            conditions.say(
                    ConditionType.READY,
                    ConditionStatus.FALSE,
                    Reason.HISTORY_LOST,
                    lost.get().message());
        } else if (seen.mirrorFault().isPresent()) {
            conditions.say(
                    ConditionType.READY,
                    ConditionStatus.FALSE,
                    Reason.OPERATOR_FAULT,
                    seen.mirrorFault().get());
        } else if (!seen.unfinished().isEmpty()) {
            boolean suspended = seen.cluster().getSpec().suspend();
            conditions.say(
                    ConditionType.READY,
                    ConditionStatus.FALSE,
                    suspended ? Reason.SUSPENDED : Reason.MOVING,
                    suspended ? standstill() : words.moving());
        } else if (!aside.isEmpty()) {
            conditions.say(
                    ConditionType.READY,
                    ConditionStatus.FALSE,
                    aside.get(aside.firstKey()).reason(),
                    words.aside().orElseThrow());
        } else if (rebalancing.filter(RebalancePlan::empty).isEmpty()) {
            Reason reason = rebalancing.map(ClusterStatusFactory::unbalanced).orElse(Reason.OUT_OF_BALANCE);
            conditions.say(ConditionType.READY, ConditionStatus.FALSE, reason, reason.meaning());
        } else if (pinFault.isPresent()) {
            conditions.say(ConditionType.READY, ConditionStatus.FALSE, Reason.PIN_UNFIT, pinFault.get());
        } else {
            conditions.say(ConditionType.READY, ConditionStatus.TRUE, Reason.SETTLED, Reason.SETTLED.meaning());
        }
    }

    private Routing routing() {
        return table.map(published -> new Routing(
                        published.table().order().revision(),
                        seen.acked()
                                .filter(AckGate::known)
                                .map(ClusterStatusFactory::acks)
                                .orElse(null)))
                .orElse(stored.routing());
    }

    static Acks acks(AckGate gate) {
        return Acks.of(
                gate.acked().getOrDefault(Role.WORKER, 0),
                gate.live().getOrDefault(Role.WORKER, 0),
                gate.acked().getOrDefault(Role.WEB, 0),
                gate.live().getOrDefault(Role.WEB, 0));
    }

    private Activity activity() {
        Optional<String> what = seen.errand()
                .running()
                .map(ClusterPlanner::doing)
                .or(() -> seen.unfinished().isEmpty()
                        ? Optional.empty()
                        : Optional.of(Quantity.of(seen.unfinished().size(), "move")));
        return what.map(text -> Optional.ofNullable(stored.activity())
                        .filter(before -> before.what().equals(text))
                        .orElse(new Activity(text, now.toString())))
                .orElse(null);
    }

    private Map<String, String> capabilities() {
        return Map.of("engine", "PostgreSQL 15 to 18", "moves", "online; can be taken back until their soak ends");
    }
}
