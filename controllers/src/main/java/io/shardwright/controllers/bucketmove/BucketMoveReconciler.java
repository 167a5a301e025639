package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.PatientRetry;
import io.shardwright.controllers.report.Announcer;
import io.shardwright.controllers.report.PassFaults;
import io.shardwright.controllers.report.Transition;
import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MovePlanner;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Observe, plan, report, execute: one BucketMove. The status is stored before the step that it announces, so a stored phase
 * is proof of what cannot have begun; the outcome of a step is reported by the pass that its end rings for.
 */
@ControllerConfiguration(
        name = "bucketmove",
        fieldManager = "shardwright-bucketmove",
        finalizerName = BucketMoveReconciler.FINALIZER,
        generationAwareEventProcessing = false,
        retry = PatientRetry.class)
final class BucketMoveReconciler implements Reconciler<BucketMove>, Cleaner<BucketMove> {
    /** Before its switch a move is undone before its object goes; after it, the object goes when the move has ended. */
    static final String FINALIZER = "shardwright.io/abort-first";

    /** Nothing should need it; it bounds what a lost event can cost. */
    private static final Duration AT_THE_LATEST = Duration.ofSeconds(10);

    private static final Duration AT_ONCE = Duration.ofMillis(1);

    /** How often figures of work in hand are shown. */
    private static final Duration PROGRESS = Duration.ofSeconds(1);

    private final MoveNeighbours neighbours;
    private final MoveObserver observer;
    private final MoveExecutor executor;
    private final MoveReporter reporter;
    private final MoveMemories memories;
    private final Announcer announcer;
    private final Clock clock;

    BucketMoveReconciler(
            MoveNeighbours neighbours,
            MoveObserver observer,
            MoveExecutor executor,
            MoveReporter reporter,
            MoveMemories memories,
            Announcer announcer,
            Clock clock) {
        this.neighbours = neighbours;
        this.observer = observer;
        this.executor = executor;
        this.reporter = reporter;
        this.memories = memories;
        this.announcer = announcer;
        this.clock = clock;
    }

    @Override
    public UpdateControl<BucketMove> reconcile(BucketMove move, Context<BucketMove> context) {
        return PassFaults.retriable(() -> goOn(move, context));
    }

    private UpdateControl<BucketMove> goOn(BucketMove move, Context<BucketMove> context) {
        if (MovePhases.of(move).terminal()) {
            end(move);
            reporter.confirmGeneration(move, context);
            return UpdateControl.noUpdate();
        }
        Pass pass = pass(move, context);
        return pass.phase().terminal()
                ? UpdateControl.noUpdate()
                : UpdateControl.<BucketMove>noUpdate().rescheduleAfter(pass.next());
    }

    @Override
    public ErrorStatusUpdateControl<BucketMove> updateErrorStatus(
            BucketMove move, Context<BucketMove> context, Exception failure) {
        reporter.fault(move, failure, context);
        return ErrorStatusUpdateControl.defaultErrorProcessing();
    }

    @Override
    public DeleteControl cleanup(BucketMove move, Context<BucketMove> context) {
        try {
            return PassFaults.retriable(() -> takeBack(move, context));
        } catch (RuntimeException e) {
            reporter.fault(move, e, context); // the framework asks for an error status of reconciling only
            throw e;
        }
    }

    private DeleteControl takeBack(BucketMove move, Context<BucketMove> context) {
        Optional<String> force = Optional.ofNullable(move.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.FORCE_REMOVE_ANNOTATION));
        boolean ended = MovePhases.of(move).terminal();
        if (force.isPresent() && !ended) {
            announcer.tell(
                    move,
                    List.of(Transition.warning(
                            "ForceRemoved",
                            "let go in phase " + MovePhases.of(move).wire()
                                    + " without cleaning (what it leaves is swept where each bucket has an owner): "
                                    + force.get())));
        }
        if (!ended && force.isEmpty()) {
            Pass pass = pass(move, context);
            ended = pass.phase().terminal();
            if (!ended) {
                return DeleteControl.noFinalizerRemoval().rescheduleAfter(pass.next());
            }
        }
        end(move);
        return DeleteControl.defaultDelete();
    }

    /** @param next when to look again at the latest */
    private record Pass(MovePhase phase, Duration next) {}

    private Pass pass(BucketMove move, Context<BucketMove> context) {
        SeenMove seen = observer.observe(move, neighbours.around(move));
        MoveDecision decision = MovePlanner.plan(seen.observation());
        reporter.measure(seen, memories.of(move).seats());
        Optional<Duration> figures = said(decision).flatMap(said -> reporter.report(seen, said, context));
        Optional<Duration> again = step(decision).flatMap(act -> executor.execute(act, seen));
        MovePhase phase = seen.phase(decision.phase());
        if (phase.terminal()) {
            end(move);
        }
        boolean works = seen.mover().filter(MoverSeat.View::busy).isPresent();
        Duration next = works ? PROGRESS : AT_THE_LATEST;
        for (Optional<Duration> wish : List.of(figures, again, until(decision), otherLeg(decision, phase))) {
            next = wish.filter(sooner(next)).orElse(next);
        }
        return new Pass(phase, next);
    }

    private static java.util.function.Predicate<Duration> sooner(Duration than) {
        return wish -> wish.compareTo(than) < 0;
    }

    private static Optional<MoveDecision> said(MoveDecision decision) {
        return decision instanceof MoveDecision.Aside aside
                ? aside.shown().map(MoveDecision.class::cast)
                : Optional.of(decision);
    }

    private static Optional<MoveDecision.Act> step(MoveDecision decision) {
        return switch (decision) {
            case MoveDecision.Act act -> Optional.of(act);
            case MoveDecision.Aside aside -> aside.step();
            case MoveDecision.Wait wait -> Optional.empty();
            case MoveDecision.Done done -> Optional.empty();
        };
    }

    private Optional<Duration> until(MoveDecision decision) {
        return said(decision)
                .filter(MoveDecision.Wait.class::isInstance)
                .map(MoveDecision.Wait.class::cast)
                .filter(wait -> step(decision).isEmpty()) // the end of a step rings
                .flatMap(MoveDecision.Wait::until)
                .map(until -> atLeastOneMilli(Duration.between(clock.instant(), until)));
    }

    /** A leg that has ended leaves the move to the other one. */
    private static Optional<Duration> otherLeg(MoveDecision decision, MovePhase phase) {
        return decision instanceof MoveDecision.Done && !phase.terminal() ? Optional.of(AT_ONCE) : Optional.empty();
    }

    private static Duration atLeastOneMilli(Duration duration) {
        return duration.compareTo(AT_ONCE) < 0 ? AT_ONCE : duration;
    }

    /** Lets the mover go; whoever waited for this move may have its turn now. */
    private void end(BucketMove move) {
        memories.forget(move);
        reporter.forget(move);
        neighbours.ringOthers(move);
    }

    @Override
    public List<EventSource<?, BucketMove>> prepareEventSources(EventSourceContext<BucketMove> context) {
        return neighbours.newSources(context, move -> {
            memories.forget(move);
            reporter.forget(move);
        });
    }
}
