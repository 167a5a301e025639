package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MovePhase.ABORTED;
import static io.shardwright.planning.moves.MovePhase.ABORTING;
import static io.shardwright.planning.moves.MovePhase.BLOCKED;
import static io.shardwright.planning.moves.MovePhase.CATCHING_UP;
import static io.shardwright.planning.moves.MovePhase.CLEANING_UP;
import static io.shardwright.planning.moves.MovePhase.COPYING;
import static io.shardwright.planning.moves.MovePhase.FAILED;
import static io.shardwright.planning.moves.MovePhase.PENDING;
import static io.shardwright.planning.moves.MovePhase.PREPARING;
import static io.shardwright.planning.moves.MovePhase.PUBLISHING;
import static io.shardwright.planning.moves.MovePhase.READY;
import static io.shardwright.planning.moves.MovePhase.SUCCEEDED;
import static io.shardwright.planning.moves.MovePhase.SWITCHING;
import static io.shardwright.planning.moves.MovePhase.VALIDATING;
import static io.shardwright.planning.moves.MovePhase.VERIFYING;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Which phase may follow which (move-protocol sections 4.2 and 4.3, without pause, soak and reversal).
 *
 * <p>The phase of a status is a report, not a memory: it is derived from the databases at every reconcile. So beside the
 * ordinary way there are jumps that only a crash, a change of leader, a finished step whose report was lost, or a status
 * restored from a backup explains. They are allowed and told apart, so that the history of a move shows them. What no
 * explanation covers is forbidden: a terminal phase is left by nothing, what has moved is not undone by an abort, and
 * deletion of source rows that has begun can only go on.
 */
public final class MoveStateMachine {
    /** How a phase follows another. */
    public enum Transition {
        SAME,
        /** the ordinary way */
        ORDINARY,
        /** the truth in the databases is further, or less far, than the status knew */
        BY_TRUTH,
        FORBIDDEN
    }

    private static final Map<MovePhase, Set<MovePhase>> ORDINARY = ordinary();

    private MoveStateMachine() {}

    public static Transition transition(MovePhase from, MovePhase to) {
        if (from == to) {
            return Transition.SAME;
        }
        if (ORDINARY.get(from).contains(to)) {
            return Transition.ORDINARY;
        }
        return forbidden(from, to) ? Transition.FORBIDDEN : Transition.BY_TRUTH;
    }

    private static boolean forbidden(MovePhase from, MovePhase to) {
        if (from.terminal() || to == PENDING) {
            return true;
        }
        return switch (from) {
            // source rows may be gone: the move can only be finished, or stopped with a reason
            case CLEANING_UP -> true;
            // every bucket of the set was decided, for or against
            case PUBLISHING -> to == VALIDATING || to == ABORTED;
            // an abort that has begun is finished; buckets that had moved before are published
            case ABORTING -> to != PUBLISHING && to != CLEANING_UP && to != SUCCEEDED;
            default -> false;
        };
    }

    private static Map<MovePhase, Set<MovePhase>> ordinary() {
        Map<MovePhase, Set<MovePhase>> next = new EnumMap<>(MovePhase.class);
        next.put(PENDING, EnumSet.of(VALIDATING, ABORTED));
        next.put(VALIDATING, EnumSet.of(PREPARING, BLOCKED, ABORTED, FAILED));
        next.put(PREPARING, EnumSet.of(COPYING, BLOCKED, ABORTING));
        next.put(COPYING, EnumSet.of(CATCHING_UP, PREPARING, BLOCKED, ABORTING));
        next.put(CATCHING_UP, EnumSet.of(VERIFYING, PREPARING, BLOCKED, ABORTING));
        next.put(VERIFYING, EnumSet.of(READY, CATCHING_UP, PREPARING, BLOCKED, ABORTING));
        next.put(READY, EnumSet.of(SWITCHING, CATCHING_UP, PREPARING, BLOCKED, ABORTING));
        next.put(SWITCHING, EnumSet.of(READY, PUBLISHING, BLOCKED, ABORTING));
        next.put(PUBLISHING, EnumSet.of(CLEANING_UP, SUCCEEDED, BLOCKED));
        next.put(CLEANING_UP, EnumSet.of(SUCCEEDED, BLOCKED));
        next.put(
                BLOCKED,
                EnumSet.of(
                        VALIDATING,
                        PREPARING,
                        COPYING,
                        CATCHING_UP,
                        VERIFYING,
                        READY,
                        SWITCHING,
                        PUBLISHING,
                        CLEANING_UP,
                        ABORTING,
                        ABORTED,
                        FAILED));
        next.put(ABORTING, EnumSet.of(ABORTED, FAILED, BLOCKED));
        for (MovePhase phase : MovePhase.values()) {
            if (phase.terminal()) {
                next.put(phase, EnumSet.noneOf(MovePhase.class));
            }
        }
        return next;
    }
}
