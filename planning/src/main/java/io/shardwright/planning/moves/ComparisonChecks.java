package io.shardwright.planning.moves;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Both sides are compared once more before anything is deleted, at a marker of the way back: this finds what has gone wrong on
 * the target at any time since the first verification. Last before the point of no return, so that nothing comes after it; what
 * came after it all the same is bounded by {@link WayBack#COMPARISON_HOLDS}. A difference, also one that ended the reversal, is
 * never followed by deletion: only a person lets such a move go.
 */
final class ComparisonChecks {
    /** A whole comparison reads every row of the buckets on both sides, and what it found seldom goes away by itself. */
    static final Duration LONGEST = Duration.ofMinutes(10);

    private ComparisonChecks() {}

    /** Nothing is deleted, and nothing is taken back, while it is not known which side is right. */
    static Optional<MoveDecision> difference(Situation now) {
        WayBack back = now.wayBack();
        if (!SoakChecks.keepsSourceRows(now) || !back.isKnownToDiffer()) {
            return Optional.empty();
        }
        Optional<MoveFault> difference = back.difference();
        if (difference.isPresent() && !back.isLost()) {
            MoveDecision.Wait shown =
                    differing(now, difference.get().message(), WayBackChecks.nextTry(now, difference.get(), LONGEST));
            return Optional.of(WayBackChecks.tryAgain(now, shown, compare(now), LONGEST));
        }
        String before = difference.map(MoveFault::message).orElse("they differed when they were compared last");
        MoveDecision.Wait shown = differing(now, before, Optional.empty());
        return Optional.of(back.follows() && !back.isBusy() ? MoveDecision.Aside.beside(shown, compare(now)) : shown);
    }

    private static MoveDecision.Wait differing(Situation now, String seen, Optional<Instant> nextTry) {
        String again = now.wayBack().isLost()
                ? " They cannot be compared any more: " + now.wayBack().loss() + "."
                : " When both sides are equal the move goes on by itself.";
        return MoveDecision.Wait.tryingAgain(
                MovePhase.BLOCKED,
                seen + "; both sides differ after the switch, and nothing is deleted",
                "a person who compares the rows: " + now.seen().task().to()
                        + " is the owner, and right about every write since the switch." + again
                        + " To let the move go as it is, annotate it with shardwright.io/force-remove=\"<reason>\", then"
                        + " delete it",
                nextTry,
                List.of());
    }

    static Optional<MoveDecision> compare(Situation now, MovePhase phase) {
        WayBack back = now.wayBack();
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
                now.seen().task().scopes(),
                "both sides are compared before anything is deleted");
    }

    /** Why a cleanup goes on without; empty when both sides were equal, or when a cleanup has begun and that was said. */
    static String omitted(Situation now) {
        WayBack back = now.wayBack();
        if (!now.isWayThere() || now.seen().pointOfNoReturn() || !back.isLost()) {
            return "";
        }
        return "; not compared: " + back.loss();
    }
}
