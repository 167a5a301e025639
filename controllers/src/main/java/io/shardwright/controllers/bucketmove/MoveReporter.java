package io.shardwright.controllers.bucketmove;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.shardwright.controllers.report.Pace;
import io.shardwright.controllers.report.PassFaults;
import io.shardwright.controllers.report.RoomMetrics;
import io.shardwright.controllers.report.StatusWriter;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.routing.Scope;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Stores the status of a move when it changed, figures at most once per second. */
final class MoveReporter {
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final StatusWriter statuses;
    private final RoomMetrics metrics;
    private final Pace<String> pace;
    private final Clock clock;

    MoveReporter(StatusWriter statuses, RoomMetrics metrics, Clock clock, LongSupplier nanos) {
        this.statuses = statuses;
        this.metrics = metrics;
        this.pace = new Pace<>(Duration.ofSeconds(1), nanos);
        this.clock = clock;
    }

    /** @return when figures that were held back may be written */
    Optional<Duration> report(SeenMove seen, MoveDecision decision, Context<BucketMove> context) {
        BucketMove move = seen.move();
        BucketMoveStatus stored = Optional.ofNullable(move.getStatus()).orElse(MoveStatusFactory.NOTHING);
        BucketMoveStatus status = KeyVeil.of(seen.observation().task().scopes())
                .over(MoveStatusFactory.status(seen, decision, clock.instant()));
        if (status.equals(stored)) {
            return Optional.empty();
        }
        if (tellsFault(stored)
                && MoveFigures.proveTheSame(status, stored)
                && context.getRetryInfo().isPresent()) {
            return Optional.of(AT_ONCE); // after the step that failed: before it, nothing is known to be better
        }
        if (MoveFigures.onlyFiguresDiffer(status, stored)) {
            Optional<Duration> wait = pace.wait(move.getMetadata().getUid());
            if (wait.isPresent()) {
                return wait;
            }
        }
        store(move, status, stored, context);
        return Optional.empty();
    }

    /** Records every attempt of either leg to switch, those that a status does not keep included, and each hold for the sake of keys. */
    void measure(SeenMove seen, List<MoverSeat> seats) {
        seen.mover()
                .map(view -> view.limits().writeHoldBudget())
                .ifPresent(budget -> seats.forEach(seat -> {
                    seat.takeSwitches().forEach(one -> metrics.switched(seen.move(), one, budget));
                    seat.takeKeyHolds().forEach(one -> metrics.heldForKeys(seen.move(), one, budget));
                }));
    }

    private void store(BucketMove move, BucketMoveStatus status, BucketMoveStatus stored, Context<BucketMove> context) {
        statuses.store(move, fresh(move, status), MoveTransitions.between(stored, status), context);
        pace.written(move.getMetadata().getUid());
    }

    /** Says that passes of this move fail, until one succeeds. */
    void fault(BucketMove move, Exception failure, Context<BucketMove> context) {
        if (!PassFaults.isWorthTelling(context, failure)) {
            return;
        }
        BucketMoveStatus stored = Optional.ofNullable(move.getStatus()).orElse(MoveStatusFactory.NOTHING);
        String message = KeyVeil.of(hidden(move))
                .over(PassFaults.message(failure)); // whatever the policy says: it may be unread
        BucketMoveStatus status = MoveStatusFactory.faulty(move, message, clock.instant());
        if (!status.equals(stored)) {
            PassFaults.tell(() -> statuses.store(
                    move,
                    fresh(move, status),
                    PassFaults.transitions(stored.conditions(), ConditionType.PROGRESSING, message),
                    context));
        }
    }

    private static List<Scope> hidden(BucketMove move) {
        return move.getSpec().keys().stream()
                .map(key -> Scope.key(key, 0).hidden())
                .toList();
    }

    private static boolean tellsFault(BucketMoveStatus stored) {
        return PassFaults.isTold(stored.conditions(), ConditionType.PROGRESSING);
    }

    private static BucketMove fresh(BucketMove move, BucketMoveStatus status) {
        BucketMove fresh = new BucketMove();
        fresh.getMetadata().setName(move.getMetadata().getName());
        fresh.getMetadata().setNamespace(move.getMetadata().getNamespace());
        fresh.setStatus(status);
        return fresh;
    }

    /** A terminal move does nothing more, whatever is written into its spec; the status says that it was read. */
    void confirmGeneration(BucketMove move, Context<BucketMove> context) {
        BucketMoveStatus stored = move.getStatus();
        Long generation = move.getMetadata().getGeneration();
        if (!generation.equals(stored.observedGeneration())) {
            store(move, MoveFigures.at(stored, generation), stored, context);
        }
    }

    void forget(BucketMove move) {
        pace.forget(move.getMetadata().getUid());
    }
}
