package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.Optional;

/**
 * Deleting source rows, the point of no return: only when every live router has acknowledged the folded map and has
 * nothing older in flight, continuously for {@link #GATE_OPEN_FOR} in the eyes of this leader.
 */
final class CleanupChecks {
    /** A router that is cut off finds out by polling the fence within this time. */
    static final Duration GATE_OPEN_FOR = Duration.ofSeconds(60);

    /** Nothing is deleted, and no reversal begins, on older news of who owns the buckets. */
    static final Duration FRESH = Duration.ofSeconds(5);

    private CleanupChecks() {}

    static Optional<MoveDecision> ended(Situation now) {
        if (!now.allDecided() || now.stage() != MoveObservation.Stage.CLEANED_UP) {
            return Optional.empty();
        }
        return Optional.of(
                now.allTakenBack()
                        ? new MoveDecision.Done(
                                MovePhase.REVERSED,
                                now.seen().task().from() + " owns all buckets again, nothing is left over")
                        : new MoveDecision.Done(MovePhase.SUCCEEDED, whoOwnsWhat(now)));
    }

    private static String whoOwnsWhat(Situation now) {
        MoveObservation.Task task = now.seen().task();
        Standing standing = now.standing();
        String back = standing.takenBack().isEmpty()
                ? ""
                : "; taken back: " + Scope.words(standing.takenBack()) + " are on " + task.from() + " again";
        String rest = standing.unmoved().isEmpty()
                ? ""
                : "; partially moved: " + Scope.words(standing.unmoved()) + " stay on " + task.from();
        return task.to() + " owns " + Scope.words(standing.moved()) + back + rest;
    }

    /** After a reversal of everything: no row of the source is deleted, so nobody has to agree. */
    static Optional<MoveDecision> afterTheReversal(Situation now) {
        if (!now.allTakenBack()) {
            return Optional.empty();
        }
        return now.seen().mover().running().isPresent()
                ? now.await(
                        MovePhase.REVERSING,
                        "the mover runs " + now.seen().mover().running().get(),
                        "its end")
                : now.actOnAll(
                        MovePhase.REVERSING, MoveStep.CLEAN_UP, "taken back; records and objects of the move go");
    }

    static Optional<MoveDecision> gate(Situation now) {
        MoveObservation.Acks acks = now.seen().acks();
        if (!now.allDecided()) {
            return Optional.empty();
        }
        MovePhase phase = SoakChecks.phase(now);
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

    static Optional<MoveDecision> compare(Situation now) {
        return now.allDecided() ? ComparisonChecks.compare(now, SoakChecks.phase(now)) : Optional.empty();
    }

    /** The way back is closed first: its point of no return is that of the move. */
    static Optional<MoveDecision> cleanUp(Situation now) {
        if (!now.allDecided()) {
            return Optional.empty();
        }
        MovePhase phase = SoakChecks.phase(now);
        if (now.seen().mover().running().isPresent()) {
            return now.await(
                    phase, "the mover runs " + now.seen().mover().running().get(), "its end");
        }
        if (now.truthAge().compareTo(FRESH) >= 0) {
            return now.actOnAll(phase, MoveStep.OBSERVE, "ownership is read once more before rows are deleted");
        }
        String why = "every live router has routed by the new bucket map for " + GATE_OPEN_FOR.toSeconds() + " s"
                + ComparisonChecks.omitted(now);
        return WayBackChecks.dismiss(now, MovePhase.CLEANING_UP, why)
                .or(() -> now.actOnAll(MovePhase.CLEANING_UP, MoveStep.CLEAN_UP, why));
    }
}
