package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.MovePhase.ABORTED;
import static io.shardwright.planning.moves.MovePhase.ABORTING;
import static io.shardwright.planning.moves.MovePhase.BLOCKED;
import static io.shardwright.planning.moves.MovePhase.CATCHING_UP;
import static io.shardwright.planning.moves.MovePhase.CLEANING_UP;
import static io.shardwright.planning.moves.MovePhase.COPYING;
import static io.shardwright.planning.moves.MovePhase.FAILED;
import static io.shardwright.planning.moves.MovePhase.PAUSED;
import static io.shardwright.planning.moves.MovePhase.PENDING;
import static io.shardwright.planning.moves.MovePhase.PREPARING;
import static io.shardwright.planning.moves.MovePhase.PUBLISHING;
import static io.shardwright.planning.moves.MovePhase.READY;
import static io.shardwright.planning.moves.MovePhase.REVERSED;
import static io.shardwright.planning.moves.MovePhase.REVERSIBLE;
import static io.shardwright.planning.moves.MovePhase.REVERSING;
import static io.shardwright.planning.moves.MovePhase.SUCCEEDED;
import static io.shardwright.planning.moves.MovePhase.SWITCHING;
import static io.shardwright.planning.moves.MovePhase.VALIDATING;
import static io.shardwright.planning.moves.MovePhase.VERIFYING;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Which phase may follow which (move-protocol sections 4.2 and 4.3).
 *
 * <p>The phase of a status is a report, not a memory: it is derived from the databases at every reconcile. So beside the
 * ordinary way there are jumps that only a crash, a change of leader, a finished step whose report was lost, or a status
 * restored from a backup explains. They are allowed and told apart, so that the history of a move shows them. What no
 * explanation covers is forbidden: a terminal phase is left by nothing, what has moved is not undone by an abort, and
 * deletion of source rows that has begun can only go on, or stand still.
 *
 * <p>Publishing, Reversible and Reversing say that every bucket was decided, for or against, and Paused that something may
 * have been written: none of them goes back to a phase that says that nothing was. Both legs of a move go by this table, each
 * with a phase of its own; the way back has nothing to validate, and knows neither Reversible nor Reversing.
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

    private static final Set<MovePhase> AFTER_AN_ABORT =
            EnumSet.of(SWITCHING, PUBLISHING, REVERSIBLE, REVERSING, PAUSED, CLEANING_UP, SUCCEEDED, REVERSED);

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
            case PUBLISHING, REVERSIBLE, REVERSING -> to == VALIDATING || to == ABORTED;
            // something may have been written
            case PAUSED -> to == VALIDATING;
            // an abort that has begun is finished; buckets that had moved before are published, and may be taken back;
            // what a
            // source without writes cannot take back is switched
            case ABORTING -> !AFTER_AN_ABORT.contains(to);
            default -> false;
        };
    }

    private static Map<MovePhase, Set<MovePhase>> ordinary() {
        Map<MovePhase, Set<MovePhase>> next = new EnumMap<>(MovePhase.class);
        next.put(PENDING, EnumSet.of(VALIDATING, PREPARING, ABORTED));
        next.put(VALIDATING, EnumSet.of(PREPARING, BLOCKED, ABORTED, FAILED));
        next.put(PREPARING, EnumSet.of(COPYING, PAUSED, BLOCKED, ABORTING));
        next.put(COPYING, EnumSet.of(CATCHING_UP, PREPARING, PAUSED, BLOCKED, ABORTING));
        next.put(CATCHING_UP, EnumSet.of(VERIFYING, PREPARING, PAUSED, BLOCKED, ABORTING));
        next.put(VERIFYING, EnumSet.of(READY, CATCHING_UP, PREPARING, PAUSED, BLOCKED, ABORTING));
        next.put(READY, EnumSet.of(SWITCHING, CATCHING_UP, PREPARING, PAUSED, BLOCKED, ABORTING));
        next.put(SWITCHING, EnumSet.of(READY, PUBLISHING, PAUSED, BLOCKED, ABORTING));
        next.put(PUBLISHING, EnumSet.of(REVERSIBLE, REVERSING, CLEANING_UP, SUCCEEDED, PAUSED, BLOCKED));
        next.put(REVERSIBLE, EnumSet.of(REVERSING, CLEANING_UP, PAUSED, BLOCKED));
        next.put(REVERSING, EnumSet.of(REVERSED, PUBLISHING, CLEANING_UP, PAUSED, BLOCKED));
        next.put(CLEANING_UP, EnumSet.of(SUCCEEDED, PAUSED, BLOCKED));
        next.put(PAUSED, aside());
        next.put(BLOCKED, aside());
        next.get(PAUSED).add(BLOCKED);
        next.get(BLOCKED).addAll(EnumSet.of(VALIDATING, PAUSED, ABORTED, FAILED));
        next.put(ABORTING, EnumSet.of(ABORTED, FAILED, BLOCKED));
        for (MovePhase phase : MovePhase.values()) {
            if (phase.terminal()) {
                next.put(phase, EnumSet.noneOf(MovePhase.class));
            }
        }
        return next;
    }

    /** A move that stood still goes on where the truth says, or is undone. */
    private static Set<MovePhase> aside() {
        return EnumSet.of(
                PREPARING,
                COPYING,
                CATCHING_UP,
                VERIFYING,
                READY,
                SWITCHING,
                PUBLISHING,
                REVERSIBLE,
                REVERSING,
                CLEANING_UP,
                ABORTING);
    }
}
