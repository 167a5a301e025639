package io.shardwright.planning.moves;

import io.shardwright.planning.windows.Closure;
import java.util.List;
import java.util.Optional;

/**
 * What waits for a window, and for the end of a freeze: the beginning of a move, of each switch, and of the cleanup, whose point
 * of no return is the last step that somebody may want to think about. Everything else goes on: a bucket that is fenced is
 * activated, what is activated is published, streams keep both sides true; and whoever aborts or takes back waits for nothing.
 */
final class WindowChecks {
    private WindowChecks() {}

    static Optional<Closure> of(MoveObservation seen) {
        return seen.isWayThere() ? seen.admission().closed() : Optional.empty();
    }

    /** After the stream back is open, which is kept open, and before routers are told of anything. */
    static Optional<MoveDecision> beforeTheSwitch(Situation now) {
        return of(now.seen()).map(closed -> held(closed, MovePhase.READY));
    }

    /** Rows that a cleanup has begun to delete keep nothing true any more. */
    static Optional<MoveDecision> beforeTheCleanup(Situation now) {
        return now.allDecided() && !now.seen().pointOfNoReturn()
                ? of(now.seen()).map(closed -> held(closed, SoakChecks.phase(now)))
                : Optional.empty();
    }

    private static MoveDecision held(Closure closed, MovePhase phase) {
        MoveDecision.Blocker blocker = MoveDecision.Blocker.of(closed);
        return new MoveDecision.Wait(
                phase,
                "held by " + blocker.kind() + " " + blocker.name() + ": " + blocker.reason(),
                "that nothing in blockedBy is left",
                closed.until(),
                List.of(blocker),
                Optional.of(closed.advice()),
                closed.until().isPresent(),
                false);
    }
}
