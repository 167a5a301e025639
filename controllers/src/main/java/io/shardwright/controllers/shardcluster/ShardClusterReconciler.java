package io.shardwright.controllers.shardcluster;

import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.shardwright.controllers.Bell;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.PatientRetry;
import io.shardwright.controllers.Updates;
import io.shardwright.controllers.report.ConditionBook;
import io.shardwright.controllers.report.Pace;
import io.shardwright.controllers.report.PassFaults;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.controllers.report.Transition;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterStatus;
import io.shardwright.crds.shardcluster.ShardClusterStatus.Routing;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.meaning.Policies;
import io.shardwright.planning.moves.MovePhase;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Observe, plan, execute, report: one ShardCluster. It goes when no move needs it any more; fence and data stay. */
@ControllerConfiguration(
        name = "shardcluster",
        fieldManager = "shardwright-shardcluster",
        finalizerName = ShardClusterReconciler.FINALIZER,
        generationAwareEventProcessing = false,
        retry = PatientRetry.class)
final class ShardClusterReconciler implements Reconciler<ShardCluster>, Cleaner<ShardCluster> {
    /** A move that has begun can neither go on nor be taken back without its cluster. */
    static final String FINALIZER = "shardwright.io/moves-first";

    /** While something is missing: a Secret may come, a password may change, a failed errand is due again. */
    private static final Duration SOON = Duration.ofSeconds(3);
    /** A router that falls silent makes no event. */
    private static final Duration LATER = Duration.ofSeconds(15);
    /** The status that was just stored is in the cache. */
    private static final Duration AT_ONCE = Duration.ofMillis(50);

    private static final Set<ConditionType> TOLD = EnumSet.of(
            ConditionType.ACCEPTED,
            ConditionType.REACHABLE,
            ConditionType.FENCE_INSTALLED,
            ConditionType.BALANCED,
            ConditionType.READY);
    private static final Set<ConditionType> ALARMING =
            EnumSet.of(ConditionType.ACCEPTED, ConditionType.REACHABLE, ConditionType.FENCE_INSTALLED);

    private final ClusterObserver observer;
    private final ClusterExecutor executor;
    private final StatusWriter statuses;
    private final TableStatuses tableStatuses;
    private final ClusterFigures figures;
    private final Sweeper sweeper;
    private final Pace<ResourceID> pace;
    private final Bell<ShardCluster> bell;
    private final Consumer<ResourceID> gone;
    private final Clock clock;
    private final LongSupplier nanos;

    ShardClusterReconciler(
            ClusterObserver observer,
            ClusterExecutor executor,
            StatusWriter statuses,
            TableStatuses tableStatuses,
            ClusterFigures figures,
            Sweeper sweeper,
            Bell<ShardCluster> bell,
            Consumer<ResourceID> gone,
            Clock clock,
            LongSupplier nanos) {
        this.observer = observer;
        this.executor = executor;
        this.statuses = statuses;
        this.tableStatuses = tableStatuses;
        this.figures = figures;
        this.sweeper = sweeper;
        this.pace = new Pace<>(Duration.ofSeconds(5), nanos);
        this.bell = bell;
        this.gone = gone;
        this.clock = clock;
        this.nanos = nanos;
    }

    @Override
    public UpdateControl<ShardCluster> reconcile(ShardCluster cluster, Context<ShardCluster> context) {
        return PassFaults.retriable(
                () -> UpdateControl.<ShardCluster>noUpdate().rescheduleAfter(pass(cluster, context)));
    }

    @Override
    public DeleteControl cleanup(ShardCluster cluster, Context<ShardCluster> context) {
        try {
            return PassFaults.retriable(() -> leave(cluster, context));
        } catch (RuntimeException e) {
            tell(cluster, context, e); // the framework asks for an error status of reconciling only
            throw e;
        }
    }

    /** It goes once its status says that no move may begin any more, and none that has begun is left. */
    private DeleteControl leave(ShardCluster cluster, Context<ShardCluster> context) {
        boolean free = context.getSecondaryResources(BucketMove.class).stream()
                .map(MovePhases::of)
                .allMatch(phase -> phase == MovePhase.PENDING || phase.terminal());
        boolean told = cluster.getStatus() != null
                && cluster.getMetadata()
                        .getGeneration()
                        .equals(cluster.getStatus().observedGeneration());
        if (free && told) {
            return DeleteControl.defaultDelete();
        }
        Duration next = pass(cluster, context);
        return DeleteControl.noFinalizerRemoval().rescheduleAfter(free ? AT_ONCE : next);
    }

    /** @return when the next one is due at the latest */
    private Duration pass(ShardCluster cluster, Context<ShardCluster> context) {
        ClusterObservation seen = observer.observe(cluster, context);
        ClusterPlan plan = ClusterPlanner.plan(seen, nanos.getAsLong());
        var table = executor.execute(plan, seen);
        figures.seen(seen, table, context.getSecondaryResources(BucketMove.class));
        ShardClusterStatus status = ClusterStatusFactory.status(seen, plan, table, clock.instant());
        Optional<Duration> again = report(cluster, status, context);
        Optional<Duration> acksAgain = context.getSecondaryResource(RoutingTable.class)
                .flatMap(object -> tableStatuses.write(object, seen.table(), seen.acked()));
        figures.passed(ResourceID.fromResource(cluster), status);
        sweeper.consider(seen, context.getSecondaryResources(BucketMove.class), acceptsAsyncStandby(cluster, context));
        boolean settled = plan.decision() instanceof ClusterPlan.Guarded
                && seen.mirrorFault().isEmpty()
                && seen.lost().isEmpty()
                && !cluster.isMarkedForDeletion();
        return Stream.of(again, acksAgain)
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .orElse(settled ? LATER : SOON);
    }

    private static boolean acceptsAsyncStandby(ShardCluster cluster, Context<ShardCluster> context) {
        return Policies.specOf(Policies.inForce(
                                context.getSecondaryResources(ShardPolicy.class),
                                cluster.getMetadata().getName()))
                        .rebalancing()
                        .asyncStandby()
                == Rebalancing.AsyncStandby.ACCEPT;
    }

    @Override
    public ErrorStatusUpdateControl<ShardCluster> updateErrorStatus(
            ShardCluster cluster, Context<ShardCluster> context, Exception failure) {
        tell(cluster, context, failure);
        return ErrorStatusUpdateControl.defaultErrorProcessing();
    }

    private void tell(ShardCluster cluster, Context<ShardCluster> context, Exception failure) {
        if (PassFaults.isWorthTelling(context, failure)) {
            String message = PassFaults.message(failure);
            ShardClusterStatus status = ClusterStatusFactory.faulty(cluster, message, clock.instant());
            figures.said(ResourceID.fromResource(cluster), status);
            List<Condition> before = conditions(cluster.getStatus());
            if (!status.equals(cluster.getStatus())) {
                PassFaults.tell(() -> statuses.store(
                        cluster,
                        fresh(cluster, status),
                        PassFaults.transitions(before, ConditionType.PROGRESSING, message),
                        context));
            }
        }
    }

    private static List<Condition> conditions(ShardClusterStatus stored) {
        return stored == null ? List.of() : stored.conditions();
    }

    private static ShardCluster fresh(ShardCluster cluster, ShardClusterStatus status) {
        ShardCluster fresh = new ShardCluster();
        fresh.getMetadata().setName(cluster.getMetadata().getName());
        fresh.getMetadata().setNamespace(cluster.getMetadata().getNamespace());
        fresh.setStatus(status);
        return fresh;
    }

    /** @return when figures that were held back may be written */
    private Optional<Duration> report(ShardCluster cluster, ShardClusterStatus status, Context<ShardCluster> context) {
        ShardClusterStatus stored = cluster.getStatus();
        ResourceID id = ResourceID.fromResource(cluster);
        if (status.equals(stored)) {
            return Optional.empty();
        }
        if (stored != null && withoutAcks(status).equals(withoutAcks(stored))) {
            Optional<Duration> wait = pace.wait(id);
            if (wait.isPresent()) {
                return wait;
            }
        }
        List<Transition> transitions =
                new ArrayList<>(ConditionBook.transitions(conditions(stored), status.conditions(), TOLD, ALARMING));
        LostTables.told(conditions(stored), status.conditions()).ifPresent(transitions::add);
        statuses.store(cluster, fresh(cluster, status), transitions, context);
        pace.written(id);
        return Optional.empty();
    }

    private static ShardClusterStatus withoutAcks(ShardClusterStatus status) {
        Routing routing =
                status.routing() == null ? null : new Routing(status.routing().revision(), null);
        return new ShardClusterStatus(
                status.observedGeneration(),
                status.shardCount(),
                status.shards(),
                routing,
                status.activity(),
                status.blockedBy().stream()
                        .filter(blocker -> !blocker.kind().equals(ClusterWords.ROUTER))
                        .toList(),
                status.nextAction(),
                status.capabilities(),
                status.conditions());
    }

    @Override
    public List<EventSource<?, ShardCluster>> prepareEventSources(EventSourceContext<ShardCluster> context) {
        return List.of(
                bell.newSource(cluster -> gone.accept(ResourceID.fromResource(cluster))),
                new InformerEventSource<>(
                        InformerEventSourceConfiguration.from(BucketMove.class, ShardCluster.class)
                                .withName("moves-of-cluster")
                                .withSecondaryToPrimaryMapper(move -> Set.of(new ResourceID(
                                        move.getSpec().clusterRef().name(),
                                        move.getMetadata().getNamespace())))
                                .withOnUpdateFilter(Updates::changesPhase)
                                .build(),
                        context),
                new InformerEventSource<>(
                        InformerEventSourceConfiguration.from(ShardPolicy.class, ShardCluster.class)
                                .withName("policies-of-cluster")
                                .withSecondaryToPrimaryMapper(policy -> Set.of(new ResourceID(
                                        policy.getSpec().clusterRef().name(),
                                        policy.getMetadata().getNamespace())))
                                .build(),
                        context),
                new InformerEventSource<>(
                        InformerEventSourceConfiguration.from(RoutingTable.class, ShardCluster.class)
                                .withName("table-of-cluster")
                                .withSecondaryToPrimaryMapper(table -> Set.of(ResourceID.fromResource(table)))
                                .build(),
                        context));
    }
}
