package io.shardwright.planning.moves;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** When a command has failed: the three answers are try again later, ask a person, give up. */
final class FaultChecks {
    private FaultChecks() {}

    /** Nothing has begun, so there is nothing to undo. */
    static Optional<MoveDecision> incurable(Situation now) {
        return now.fault()
                .filter(fault -> !fault.curable() && !now.standing().begun())
                .map(fault -> new MoveDecision.Done(MovePhase.FAILED, fault.message() + ": " + fault.nextAction()));
    }

    static Optional<MoveDecision> coolingDown(Situation now) {
        return now.fault().filter(FaultChecks::coolsDown).map(fault -> cooling(now.seen(), fault, MovePhase.BLOCKED));
    }

    static boolean coolsDown(MoveFault fault) {
        return fault.age().compareTo(pause(fault.kind())) < 0;
    }

    static MoveDecision cooling(MoveObservation seen, MoveFault fault, MovePhase phase) {
        Duration rest = pause(fault.kind()).minus(fault.age());
        return new MoveDecision.Wait(
                phase,
                fault.message(),
                fault.nextAction(),
                Optional.of(seen.now().plus(rest)),
                List.of());
    }

    /** Faults that go away by themselves; the others need a person, or another copy. */
    static boolean passing(MoveFault.Kind kind) {
        return kind == MoveFault.Kind.UNREACHABLE || kind == MoveFault.Kind.SUPERSEDED || kind == MoveFault.Kind.OTHER;
    }

    static Duration pause(MoveFault.Kind kind) {
        return switch (kind) {
            case POSITION_LOST, DECIDED_AGAINST -> Duration.ofSeconds(1);
            case UNREACHABLE -> Duration.ofSeconds(2);
            case SUPERSEDED, OTHER -> Duration.ofSeconds(5);
            case VALIDATION, FOREIGN_ROWS, SCHEMA_CHANGED, DIVERGED -> Duration.ofSeconds(30);
        };
    }
}
