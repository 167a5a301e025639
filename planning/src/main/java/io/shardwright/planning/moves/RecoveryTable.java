package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.Optional;

/**
 * The recovery table: what a leg of a move does with a bucket follows from its two fence rows alone, whatever a status says
 * and whoever crashed. Every pair gives exactly one action; a pair that the protocol cannot leave behind is never guessed at.
 *
 * <p>There is one table for both directions, {@link OneWay}. Rows that carry nothing of the way back are a matter of the way
 * there; rows that carry something of it are a matter of the way back, with source and target in changed places. Each leg
 * hears of the other's matter what that means for it.
 */
public final class RecoveryTable {
    private final Leg leg;
    private final OneWay there;
    private final OneWay back;

    public RecoveryTable(Task task) {
        leg = task.leg();
        there = new OneWay(leg == Leg.THERE ? task.moveId() : task.otherLeg());
        back = new OneWay(leg == Leg.BACK ? task.moveId() : task.otherLeg());
    }

    /** Both rows were read; an empty one was not there. A side that could not be read must not be asked about. */
    public RecoveryAction decide(Optional<FenceRow> source, Optional<FenceRow> target) {
        boolean turnedBack = back.begun(source, target);
        if (leg == Leg.THERE) {
            return turnedBack ? toTheWayThere(wayBack(target, source)) : there.decide(source, target);
        }
        return turnedBack ? wayBack(source, target) : toTheWayBack(there.decide(target, source));
    }

    /** The leg has left a trace in one of the two rows; what the way back has left is one of the way there, too. */
    public boolean begun(Optional<FenceRow> source, Optional<FenceRow> target) {
        return back.begun(source, target) || (leg == Leg.THERE && there.begun(source, target));
    }

    /**
     * Rows with a trace of the way back, in its direction. It begins with a row on its target, so an owner that it has left
     * behind without one is what its abort leaves: both rows at the epoch of the reclaim, the tombstone of the way there.
     */
    private RecoveryAction wayBack(Optional<FenceRow> source, Optional<FenceRow> target) {
        RecoveryAction action = back.decide(source, target);
        return switch (action) {
            case BEGIN -> isKept(source.orElseThrow(), target) ? RecoveryAction.KEPT : RecoveryAction.BLOCK;
            case NOT_OWNER -> RecoveryAction.BLOCK;
            default -> action;
        };
    }

    private boolean isKept(FenceRow source, Optional<FenceRow> target) {
        return OneWay.state(target) == FenceState.MOVED
                && there.isOurs(target)
                && target.orElseThrow().epoch() == source.epoch();
    }

    private static RecoveryAction toTheWayThere(RecoveryAction wayBack) {
        return switch (wayBack) {
            case CARRY_ON, ACTIVATE, FINISH_ABORT, RECLAIM, REVOKE -> RecoveryAction.TAKE_BACK;
            case PUBLISH -> RecoveryAction.TAKEN_BACK;
            case KEPT -> RecoveryAction.PUBLISH;
            case FREEZE -> RecoveryAction.FREEZE;
            case BEGIN, TAKE_BACK, TAKEN_BACK, STAYED, UNFINISHED, NOT_OWNER, BLOCK -> RecoveryAction.BLOCK;
        };
    }

    private static RecoveryAction toTheWayBack(RecoveryAction wayThere) {
        return switch (wayThere) {
            case PUBLISH -> RecoveryAction.BEGIN;
            case BEGIN, CARRY_ON, FINISH_ABORT -> RecoveryAction.STAYED;
            case ACTIVATE, RECLAIM, REVOKE -> RecoveryAction.UNFINISHED;
            case FREEZE -> RecoveryAction.FREEZE;
            case TAKE_BACK, TAKEN_BACK, KEPT, STAYED, UNFINISHED, NOT_OWNER, BLOCK -> RecoveryAction.BLOCK;
        };
    }
}
