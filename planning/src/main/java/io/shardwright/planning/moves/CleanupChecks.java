package io.shardwright.planning.moves;

import java.time.Duration;
import java.util.Optional;

/**
 * Deleting source rows, the point of no return: only when every live router has acknowledged the folded map and has
 * nothing older in flight, continuously for {@link #GATE_OPEN_FOR} in the eyes of this leader.
 */
final class CleanupChecks {
    /** A router that is cut off finds out by polling the fence within this time. */
    static final Duration GATE_OPEN_FOR = Duration.ofSeconds(60);

    /** Nothing is deleted on older news of who owns the buckets. */
    static final Duration FRESH = Duration.ofSeconds(5);

    private CleanupChecks() {}

    static Optional<MoveDecision> succeeded(Situation now) {
        if (!now.allDecided() || now.stage() != MoveObservation.Stage.CLEANED_UP) {
            return Optional.empty();
        }
        String rest = now.standing().unmoved().isEmpty()
                ? ""
                : "; partially moved: buckets " + now.standing().unmoved() + " stay on "
                        + now.seen().task().from();
        return Optional.of(new MoveDecision.Done(
                MovePhase.SUCCEEDED,
                now.seen().task().to() + " owns buckets " + now.standing().moved() + rest));
    }

    static Optional<MoveDecision> gate(Situation now) {
        MoveObservation.Acks acks = now.seen().acks();
        if (!now.allDecided()) {
            return Optional.empty();
        }
        MovePhase phase = phase(now);
        if (!now.seen().admission().hold().isEmpty()) {
            return FillChecks.holding(now, phase);
        }
        if (!acks.folded().open()) {
            return now.await(
                    phase,
                    "the bucket map names the new owner; source rows stay until every live router routes by it",
                    "acknowledgements: " + acks.folded().story(),
                    Duration.ofSeconds(5),
                    Situation.routers(acks.folded()));
        }
        Duration rest = GATE_OPEN_FOR.minus(acks.foldedOpenFor());
        return rest.isNegative() || rest.isZero()
                ? Optional.empty()
                : now.await(
                        phase,
                        "every live router routes by the new bucket map",
                        "that this stays so for " + GATE_OPEN_FOR.toSeconds() + " s",
                        rest);
    }

    private static MovePhase phase(Situation now) {
        return now.seen().pointOfNoReturn() ? MovePhase.CLEANING_UP : MovePhase.PUBLISHING;
    }

    static Optional<MoveDecision> cleanUp(Situation now) {
        if (!now.allDecided()) {
            return Optional.empty();
        }
        MovePhase phase = phase(now);
        if (now.seen().mover().running().isPresent()) {
            return now.await(
                    phase, "the mover runs " + now.seen().mover().running().get(), "its end");
        }
        if (now.truthAge().compareTo(FRESH) >= 0) {
            return now.actOnAll(phase, MoveStep.OBSERVE, "ownership is read once more before rows are deleted");
        }
        return now.actOnAll(
                MovePhase.CLEANING_UP,
                MoveStep.CLEAN_UP,
                "every live router has routed by the new bucket map for " + GATE_OPEN_FOR.toSeconds() + " s");
    }
}
