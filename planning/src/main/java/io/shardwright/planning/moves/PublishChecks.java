package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Telling routers where moved buckets are: workers first, then web, then the bucket map. Every wait is bounded, because
 * the old owner refuses writes already and a router that knows nothing pays one refused attempt. A bound that ran out is
 * no consent: source rows stay until all have acknowledged.
 */
final class PublishChecks {
    /** The table changes for one move at most so often while groups are still being switched. */
    static final Duration BETWEEN_CHANGES = Duration.ofSeconds(1);

    /** Longest wait for everybody before the handover is folded into the bucket map. */
    static final Duration FOLD_TIMEOUT = Duration.ofSeconds(60);

    private PublishChecks() {}

    static Optional<MoveDecision> toWorkers(Situation now) {
        MoveObservation.TableView table = now.seen().table();
        SortedSet<Scope> unseen = now.movedBut(table.visibleToWorkers(), table.folded());
        if (unseen.isEmpty() || postponed(now).isPresent()) {
            return Optional.empty();
        }
        return now.act(phase(now), MoveStep.PUBLISH_TO_WORKERS, unseen, "the target owns them; workers are told first");
    }

    /** A publication that was put off is not forgotten in a wait for something else. */
    static MoveDecision inTime(Situation now, MoveDecision decision) {
        Optional<Instant> due = postponed(now).map(now.seen().now()::plus);
        return decision instanceof MoveDecision.Wait wait && due.isPresent() ? wait.atTheLatest(due.get()) : decision;
    }

    /** The rest of the pause before buckets that have moved are made visible; empty when nothing is put off. */
    private static Optional<Duration> postponed(Situation now) {
        MoveObservation.TableView table = now.seen().table();
        boolean unseen = !now.movedBut(table.visibleToWorkers(), table.folded()).isEmpty();
        Duration rest = BETWEEN_CHANGES.minus(table.sinceChange());
        return unseen && !now.allDecided() && !rest.isNegative() && !rest.isZero()
                ? Optional.of(rest)
                : Optional.empty();
    }

    static Optional<MoveDecision> toWeb(Situation now) {
        MoveObservation.TableView table = now.seen().table();
        SortedSet<Scope> unseen = now.movedBut(table.visibleToWeb(), table.folded());
        unseen.retainAll(table.visibleToWorkers());
        if (unseen.isEmpty()) {
            return Optional.empty();
        }
        Duration rest = now.seen().task().handoverTimeout().minus(table.sinceWorkers());
        boolean acked = now.seen().acks().workers().open();
        if (acked || rest.isNegative() || rest.isZero()) {
            return now.act(
                    phase(now),
                    MoveStep.PUBLISH_TO_WEB,
                    unseen,
                    acked ? "all live workers route by it" : "the handover timeout is over; not all workers answered");
        }
        return now.allDecided()
                ? now.await(
                        MovePhase.PUBLISHING,
                        "workers are told",
                        "their acknowledgement: " + now.seen().acks().workers().story(),
                        rest,
                        Situation.routers(now.seen().acks().workers()))
                : Optional.empty();
    }

    static Optional<MoveDecision> fold(Situation now) {
        MoveObservation.TableView table = now.seen().table();
        SortedSet<Scope> open = now.movedBut(table.folded(), table.folded());
        if (!now.allDecided() || open.isEmpty()) {
            return Optional.empty();
        }
        MoveObservation.Acks acks = now.seen().acks();
        boolean acked = acks.workers().open() && acks.web().open();
        Duration rest = FOLD_TIMEOUT.minus(table.sinceWeb());
        if (acked || rest.isNegative() || rest.isZero()) {
            return now.act(
                    MovePhase.PUBLISHING,
                    MoveStep.FOLD,
                    open,
                    acked
                            ? "all live routers route by it"
                            : FOLD_TIMEOUT.toSeconds() + " s are over; not all answered");
        }
        return now.await(
                MovePhase.PUBLISHING,
                "all roles are told",
                "acknowledgements of workers (" + acks.workers().story() + ") and web ("
                        + acks.web().story() + ")",
                rest,
                Situation.routers(acks.workers().open() ? acks.web() : acks.workers()));
    }

    private static MovePhase phase(Situation now) {
        return now.allDecided() ? MovePhase.PUBLISHING : MovePhase.SWITCHING;
    }
}
