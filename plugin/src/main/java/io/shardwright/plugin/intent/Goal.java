package io.shardwright.plugin.intent;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.plugin.Phases;
import java.util.Optional;
import java.util.Set;

/**
 * When what was asked for has happened, by the phase: pure. A phase counts only once the operator has seen the intent
 * ({@code observedGeneration}), but for one that is the end.
 *
 * @param generation of the spec that carries the intent
 */
record Goal(Verb verb, long generation) {
    /** In these a pause leaves the phase as it is: nothing has been written yet. */
    private static final Set<String> ONLY_LOOKED = Set.of(MovePhase.PENDING.wire(), MovePhase.VALIDATING.wire());

    private static final Set<String> ALL_SWITCHED = Set.of(MovePhase.REVERSIBLE.wire(), MovePhase.CLEANING_UP.wire());

    /** @param reached whether it is what was asked for */
    record End(boolean reached, String why) {}

    /** Empty while it is to be waited for. @param move null once it is gone */
    Optional<End> end(BucketMove move) {
        if (move == null) {
            return Optional.of(new End(false, "it was deleted"));
        }
        String phase = Phases.of(move);
        if (Phases.hasEnded(move)) {
            return Optional.of(new End(phase.equals(wantedEnd()), "it has ended: " + phase));
        }
        return isObserved(move) ? onTheWay(phase) : Optional.empty();
    }

    private String wantedEnd() {
        return switch (verb) {
            case RESUME, COMPLETE -> MovePhase.SUCCEEDED.wire();
            case ABORT -> MovePhase.ABORTED.wire();
            case REVERSE -> MovePhase.REVERSED.wire();
            case PAUSE -> "none";
        };
    }

    private boolean isObserved(BucketMove move) {
        return move.getStatus() != null
                && move.getStatus().observedGeneration() != null
                && move.getStatus().observedGeneration() >= generation;
    }

    private Optional<End> onTheWay(String phase) {
        boolean paused = phase.equals(MovePhase.PAUSED.wire());
        return switch (verb) {
            case PAUSE ->
                paused || ONLY_LOOKED.contains(phase)
                        ? Optional.of(new End(true, "it stands still"))
                        : Optional.empty();
            case RESUME -> paused ? Optional.empty() : Optional.of(new End(true, "it goes on"));
            case ABORT ->
                ALL_SWITCHED.contains(phase)
                        ? Optional.of(new End(false, "the abort came too late: all is switched; reverse takes it back"))
                        : Optional.empty();
            case REVERSE, COMPLETE -> Optional.empty();
        };
    }
}
