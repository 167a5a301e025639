package io.shardwright.planning.moves;

import java.util.Optional;

/** Steps 1 to 5: nothing of this is visible to the application, and each can be done again. */
final class FillChecks {
    private FillChecks() {}

    static Optional<MoveDecision> working(Situation now) {
        return now.seen()
                .mover()
                .running()
                .flatMap(step -> now.await(phaseOf(now, step), "the mover runs " + step, "its end"));
    }

    private static MovePhase phaseOf(Situation now, MoveStep running) {
        return switch (running) {
            case VALIDATE -> validating(now);
            case PREPARE ->
                switch (now.stage()) {
                    case COPYING -> MovePhase.COPYING;
                    case CATCHING_UP, IN_SYNC, VERIFIED -> MovePhase.CATCHING_UP;
                    default -> MovePhase.PREPARING;
                };
            case VERIFY -> MovePhase.VERIFYING;
            case GATE -> MovePhase.READY;
            default -> now.seen().stored();
        };
    }

    /** Empty when the set is verified and nothing speaks against a switch. */
    static Optional<MoveDecision> fill(Situation now) {
        if (now.fault().isPresent()) {
            return again(now, now.fault().get());
        }
        return switch (now.stage()) {
            case NONE, COPYING, CATCHING_UP -> now.standing().begun() ? resume(now) : begin(now);
            case VALIDATED -> prepare(now, "both shards are fit for the move");
            case IN_SYNC -> now.actOnAll(MovePhase.VERIFYING, MoveStep.VERIFY, "the target has caught up");
            case VERIFIED ->
                now.standing().any(RecoveryAction.BEGIN)
                        ? prepare(now, "the target has lost the rows of its fence for a part of the set")
                        : Optional.empty();
            case FOLLOWING, COMPARED -> begin(now);
            case RETIRED, ABORTED, CLEANED_UP ->
                now.actOnAll(
                        now.seen().stored(), MoveStep.OBSERVE, "the mover has ended, the fence rows say otherwise");
        };
    }

    /** A fault that has cooled down: the step that finds out whether its cause is gone. */
    private static Optional<MoveDecision> again(Situation now, MoveFault fault) {
        if (!now.isWayThere()) {
            return prepare(now, "again after: " + fault.message());
        }
        boolean lookFirst = fault.kind() == MoveFault.Kind.SCHEMA_CHANGED || fault.kind() == MoveFault.Kind.VALIDATION;
        if (lookFirst
                || (now.stage() == MoveObservation.Stage.NONE && !now.standing().begun())) {
            return validate(now, "again after: " + fault.message());
        }
        return prepare(now, "again after: " + fault.message());
    }

    /** A way back has been looked at, and its stream runs: it begins with its first write. */
    private static Optional<MoveDecision> begin(Situation now) {
        return now.isWayThere()
                ? validate(now, "first look at both shards")
                : prepare(now, "the rows are on both sides, and the stream follows");
    }

    private static Optional<MoveDecision> resume(Situation now) {
        return now.seen().truth().orElseThrow().resumable()
                ? now.actOnAll(MovePhase.CATCHING_UP, MoveStep.PREPARE, "resumes at the progress row")
                : prepare(now, "the copy was not finished");
    }

    private static Optional<MoveDecision> validate(Situation now, String reason) {
        return now.actOnAll(validating(now), MoveStep.VALIDATE, reason);
    }

    /**
     * The phase Validating says that nothing was written yet, so a later look at the shards does not go by that name; nor by
     * that of a pause that is over.
     */
    private static MovePhase validating(Situation now) {
        MovePhase stored = now.seen().stored();
        if (EntryChecks.onlyLooked(stored)) {
            return MovePhase.VALIDATING;
        }
        return stored == MovePhase.PAUSED ? MovePhase.PREPARING : stored;
    }

    private static Optional<MoveDecision> prepare(Situation now, String reason) {
        return now.actOnAll(MovePhase.PREPARING, MoveStep.PREPARE, reason);
    }
}
