package io.shardwright.controllers.shardpolicy;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.shardwright.controllers.PatientRetry;
import io.shardwright.controllers.report.ConditionBook;
import io.shardwright.controllers.report.PassFaults;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.controllers.report.Transition;
import io.shardwright.controllers.resources.MoveResources;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.Policies;
import io.shardwright.planning.placement.PlanHash;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.RoutingTable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Observe, plan, execute, report: one ShardPolicy. */
@ControllerConfiguration(name = "shardpolicy", fieldManager = "shardwright-shardpolicy", retry = PatientRetry.class)
final class ShardPolicyReconciler implements Reconciler<ShardPolicy> {
    private static final Set<ConditionType> TOLD = EnumSet.of(
            ConditionType.ACCEPTED, ConditionType.RESOLVED_REFS, ConditionType.PLAN_APPROVED, ConditionType.IN_BALANCE);
    private static final Set<ConditionType> ALARMING = EnumSet.of(ConditionType.ACCEPTED, ConditionType.RESOLVED_REFS);

    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final Duration A_WHILE = Duration.ofHours(1);
    /** Routers close a slice that often. */
    private static final Duration SLICE = Duration.ofSeconds(10);

    private final PolicyNeighbours neighbours;
    private final TablePublisher tables;
    private final PlanExecutor executor;
    private final StatusWriter statuses;
    private final PolicyHours hours;
    private final HotKeyPass hotKeys;
    private final RoomMetrics metrics;
    private final SeenInputs seenInputs = new SeenInputs();
    private final Clock clock;

    ShardPolicyReconciler(
            PolicyNeighbours neighbours,
            TablePublisher tables,
            PlanExecutor executor,
            StatusWriter statuses,
            PolicyHours hours,
            HotKeyPass hotKeys,
            RoomMetrics metrics,
            Clock clock) {
        this.neighbours = neighbours;
        this.tables = tables;
        this.executor = executor;
        this.statuses = statuses;
        this.hours = hours;
        this.hotKeys = hotKeys;
        this.metrics = metrics;
        this.clock = clock;
    }

    @Override
    public UpdateControl<ShardPolicy> reconcile(ShardPolicy policy, Context<ShardPolicy> context) {
        return PassFaults.retriable(() -> pass(policy, context));
    }

    @Override
    public ErrorStatusUpdateControl<ShardPolicy> updateErrorStatus(
            ShardPolicy policy, Context<ShardPolicy> context, Exception failure) {
        if (PassFaults.isWorthTelling(context, failure)) {
            ShardPolicyStatus status = PolicyStatusFactory.faulty(policy, PassFaults.message(failure), clock.instant());
            PassFaults.tell(() -> report(policy, status, List.of(), context));
        }
        return ErrorStatusUpdateControl.defaultErrorProcessing();
    }

    private UpdateControl<ShardPolicy> pass(ShardPolicy policy, Context<ShardPolicy> context) {
        PolicyObservation seen = observe(policy);
        PolicyPlan plan = PolicyPlanner.plan(seen);
        if (plan.create()) {
            Set<String> spent = seen.moves().stream()
                    .filter(move -> PlanHolds.isSpent(seen, move))
                    .map(move -> move.getMetadata().getName())
                    .collect(Collectors.toSet());
            executor.create(policy, Spelling.of(seen).spelt(plan.shown().orElseThrow()), spent);
        }
        if (report(
                policy,
                PolicyStatusFactory.status(policy, plan, HotKeyTexts.of(seen, clock.instant()), clock.instant()),
                seen.transitions(),
                context)) {
            neighbours.ring(policy);
        }
        count(seen);
        return next(seen)
                .map(UpdateControl.<ShardPolicy>noUpdate()::rescheduleAfter)
                .orElseGet(UpdateControl::noUpdate);
    }

    /** When to look again unasked: nobody rings when a window opens, and none for each slice of each router. */
    private Optional<Duration> next(PolicyObservation seen) {
        Optional<Duration> hour = seen.hours().until().map(this::untilThen);
        return seen.detects()
                ? Optional.of(hour.filter(rest -> rest.compareTo(SLICE) < 0).orElse(SLICE))
                : hour;
    }

    private void count(PolicyObservation seen) {
        if (seen.isInForce() && seen.inputs().isPresent()) {
            ResourceID id = PolicyNeighbours.cluster(seen.policy());
            metrics.hotKeys(
                    id.getNamespace().orElseThrow(),
                    id.getName(),
                    seen.detects(),
                    seen.detected().byState());
        }
    }

    /** Nobody rings when a window opens or closes, nor when somebody sets the clock. */
    private Duration untilThen(Instant time) {
        Duration rest = Duration.between(clock.instant(), time);
        return rest.compareTo(AT_ONCE) < 0 ? AT_ONCE : rest.compareTo(A_WHILE) > 0 ? A_WHILE : rest;
    }

    private PolicyObservation observe(ShardPolicy policy) {
        ResourceID id = PolicyNeighbours.cluster(policy);
        Optional<ShardCluster> cluster = neighbours.cluster(id);
        ShardPolicy inForce =
                Policies.inForce(neighbours.policies(id), id.getName()).orElse(policy);
        Optional<RoutingTable> table =
                cluster.flatMap(any -> tables.current(id)).map(PublishedTable::table);
        FoundKeys found = table.filter(any -> inForce.getMetadata()
                        .getUid()
                        .equals(policy.getMetadata().getUid()))
                .map(now -> hotKeys.find(policy, cluster.orElseThrow(), now, neighbours.moves(id), clock.instant()))
                .orElse(FoundKeys.NONE);
        Optional<PlanInputs> inputs = table.map(
                now -> Clusters.planInputs(cluster.orElseThrow(), now, Optional.of(policy.getSpec()), found.now()));
        inputs.ifPresent(now -> seenInputs.note(PlanHash.of(now), now));
        return new PolicyObservation(
                policy,
                inForce,
                hours.at(policy, clock.instant()),
                cluster,
                inputs,
                found,
                moves(policy, cluster, inputs),
                seenInputs::of);
    }

    /** That moves which were made are gone again is not believed of a cache. */
    private List<BucketMove> moves(ShardPolicy policy, Optional<ShardCluster> cluster, Optional<PlanInputs> inputs) {
        List<BucketMove> cached = neighbours.moves(PolicyNeighbours.cluster(policy));
        return inputs.map(PlanHash::of)
                .filter(hash -> Making.of(policy)
                        .filter(made -> made.hash().equals(hash))
                        .isPresent())
                .filter(hash -> cached.stream()
                        .filter(move -> MoveResources.isOfPlan(move, MoveResources.planLabel(hash)))
                        .allMatch(move -> PlanHolds.isSpent(
                                inputs.get(), cluster.orElseThrow().getSpec(), move)))
                .map(hash -> Stream.concat(cached.stream(), executor.find(policy, hash).stream())
                        .toList())
                .orElse(cached);
    }

    /** @return whether anything was written */
    private boolean report(
            ShardPolicy policy, ShardPolicyStatus status, List<Transition> ofKeys, Context<ShardPolicy> context) {
        ShardPolicyStatus stored = Optional.ofNullable(policy.getStatus()).orElse(PolicyStatusFactory.NOTHING);
        if (status.equals(stored)) {
            return false;
        }
        ShardPolicy fresh = new ShardPolicy();
        fresh.getMetadata().setName(policy.getMetadata().getName());
        fresh.getMetadata().setNamespace(policy.getMetadata().getNamespace());
        fresh.setStatus(status);
        statuses.store(
                policy,
                fresh,
                Stream.concat(
                                ConditionBook.transitions(stored.conditions(), status.conditions(), TOLD, ALARMING)
                                        .stream(),
                                ofKeys.stream())
                        .toList(),
                context);
        return true;
    }

    @Override
    public List<EventSource<?, ShardPolicy>> prepareEventSources(EventSourceContext<ShardPolicy> context) {
        return neighbours.newSources(context, this::gone);
    }

    /** Another policy that is in force now asks for what it needs. */
    private void gone(ResourceID cluster) {
        hotKeys.forget(cluster);
        metrics.hotKeys(cluster.getNamespace().orElseThrow(), cluster.getName(), false, Map.of());
    }
}
