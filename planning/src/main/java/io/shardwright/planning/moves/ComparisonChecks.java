package io.shardwright.planning.moves;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Both sides are compared once more before anything is deleted, at a marker of the way back: this finds what has gone wrong on
 * the target at any time since the first verification. Last before the point of no return, so that nothing comes after it.
 */
final class ComparisonChecks {
    /** A whole comparison reads every row of the buckets on both sides, and what it found seldom goes away by itself. */
    static final Duration LONGEST = Duration.ofMinutes(10);

    private ComparisonChecks() {}

    /** Nothing is deleted, and nothing is taken back, while it is not known which side is right. */
    static Optional<MoveDecision> difference(Situation now) {
        Optional<MoveFault> difference = now.wayBack().difference();
        if (!SoakChecks.mayBeTakenBack(now) || difference.isEmpty()) {
            return Optional.empty();
        }
        MoveDecision.Wait shown = MoveDecision.Wait.tryingAgain(
                MovePhase.BLOCKED,
                difference.get().message() + "; both sides differ after the switch, and nothing is deleted",
                "a person who compares the rows: " + now.seen().task().to()
                        + " is the owner, and right about every write since the switch. When both sides are equal the move"
                        + " goes on by itself; the annotation shardwright.io/force-remove lets it go as it is",
                WayBackChecks.nextTry(now, difference.get(), LONGEST),
                List.of());
        return Optional.of(WayBackChecks.tryAgain(now, shown, compare(now), LONGEST));
    }

    static Optional<MoveDecision> compare(Situation now, MovePhase phase) {
        MoveObservation.WayBack back = now.wayBack();
        if (!SoakChecks.mayBeTakenBack(now) || back.compared() || back.isLost()) {
            return Optional.empty();
        }
        if (back.fault().isPresent()) {
            return Optional.of(WayBackChecks.cooling(now));
        }
        return back.isBusy() || !back.follows()
                ? now.await(phase, "both sides are compared before anything is deleted", "the end of the comparison")
                : Optional.of(compare(now));
    }

    private static MoveDecision.Act compare(Situation now) {
        return new MoveDecision.Act(
                SoakChecks.phase(now),
                MoveStep.COMPARE,
                now.seen().task().buckets(),
                "both sides are compared before anything is deleted");
    }

    /** Why a cleanup goes on without; empty when both sides were equal, or a cleanup has begun and that was said. */
    static String omitted(Situation now) {
        return SoakChecks.mayBeTakenBack(now) && now.wayBack().isLost()
                ? "; not compared, the way back is lost: "
                        + now.wayBack().fault().map(MoveFault::message).orElse("")
                : "";
    }
}
