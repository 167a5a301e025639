package io.shardwright.controllers.bucketmove;

import io.shardwright.planning.moves.MoveObservation.Leg;
import java.util.OptionalLong;

/**
 * Which leg of a move is at work, and since when. The mover of a leg reads the databases at the end of its own commands, so
 * what it had read before its turn is older than what the other leg has done to the same rows.
 */
final class LegTurn {
    private Leg leg;
    private OptionalLong since = OptionalLong.empty();

    /** The leg that this pass is about. */
    synchronized void note(Leg now, long nanos) {
        if (leg != null && leg != now) {
            since = OptionalLong.of(nanos);
        }
        leg = now;
    }

    /** Nothing that this process has done since could have changed what was read then. */
    synchronized boolean covers(long readAt) {
        return since.isEmpty() || readAt - since.getAsLong() >= 0;
    }
}
