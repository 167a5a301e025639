package io.shardwright.controllers.bucketmove;

import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveObservation;

/**
 * A revision is given some time to be acknowledged before status and events name who is missing; nothing goes on without
 * them meanwhile. Most answers come within milliseconds and nobody needs to read of them.
 */
final class MovePatience {
    private MovePatience() {}

    /** Only routers are waited for, and not for long. */
    static boolean holds(SeenMove seen, MoveDecision.Wait wait) {
        MoveObservation observation = seen.observation();
        return !wait.blockedBy().isEmpty()
                && wait.blockedBy().stream().allMatch(one -> one.kind().equals("Router"))
                && observation
                                .table()
                                .sinceChange()
                                .compareTo(observation.task().handoverTimeout())
                        < 0;
    }
}
