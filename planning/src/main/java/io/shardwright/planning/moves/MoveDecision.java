package io.shardwright.planning.moves;

import io.shardwright.planning.windows.Closure;
import io.shardwright.routing.Scope;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** What to do with a move now, why, and the phase that the status shows. */
public sealed interface MoveDecision {
    MovePhase phase();

    /** What was seen, for people; becomes the message of Progressing. */
    String reason();

    /** It is this step that the status announces. */
    default boolean takes(MoveStep step) {
        return this instanceof Act act && act.step() == step;
    }

    /**
     * One step to take now.
     *
     * @param group the buckets that the step is about: one switch group of a SWITCH; those to announce, publish, fold or
     *     withdraw; all buckets of the move for the other steps
     */
    record Act(MovePhase phase, MoveStep step, SortedSet<Scope> group, String reason) implements MoveDecision {
        public Act {
            group = Collections.unmodifiableSortedSet(new TreeSet<>(group));
        }
    }

    /**
     * Nothing to do now.
     *
     * @param awaited what must happen next, and who can make it happen
     * @param until when the planner wants to be asked again at the latest; empty = only an event helps
     * @param advice what a person can do to end it, where that is more than what is awaited
     * @param byItself it is tried again whether or not anybody helps
     * @param byRows what the fence rows say keeps the move, whatever else has failed
     */
    record Wait(
            MovePhase phase,
            String reason,
            String awaited,
            Optional<Instant> until,
            List<Blocker> blockedBy,
            Optional<String> advice,
            boolean byItself,
            boolean byRows)
            implements MoveDecision {
        public Wait {
            blockedBy = List.copyOf(blockedBy);
        }

        public Wait(MovePhase phase, String reason, String awaited, Optional<Instant> until, List<Blocker> blockedBy) {
            this(phase, reason, awaited, until, blockedBy, Optional.empty(), until.isPresent(), false);
        }

        /** What has failed is tried again; says so also while the try runs and no time is set for the next. */
        static Wait tryingAgain(
                MovePhase phase, String reason, String awaited, Optional<Instant> until, List<Blocker> blockedBy) {
            return new Wait(phase, reason, awaited, until, blockedBy, Optional.empty(), true, false);
        }

        Wait advised(Optional<String> what) {
            return new Wait(phase, reason, awaited, until, blockedBy, what, byItself, byRows);
        }

        /** The same, asked again at this time already. */
        Wait atTheLatest(Instant time) {
            return until.filter(known -> known.isBefore(time)).isPresent()
                    ? this
                    : new Wait(phase, reason, awaited, Optional.of(time), blockedBy, advice, byItself, byRows);
        }
    }

    /**
     * Something that changes nothing of what people read: a look at the fence rows, one more try of what failed. A status
     * that told each of them would be written, and would begin its waits anew, as often as they are done.
     *
     * @param step to take now; empty = it is being taken
     * @param shown what the status says meanwhile; empty = what it says already
     */
    record Aside(MovePhase phase, String reason, Optional<Act> step, Optional<Wait> shown) implements MoveDecision {
        static Aside beside(Wait shown, Act step) {
            return new Aside(shown.phase(), step.reason(), Optional.of(step), Optional.of(shown));
        }

        static Aside silent(MovePhase stored, Act step) {
            return new Aside(stored, step.reason(), Optional.of(step), Optional.empty());
        }
    }

    /** A terminal phase with its evidence. */
    record Done(MovePhase phase, String reason) implements MoveDecision {}

    /**
     * Who this move waits for.
     *
     * @param kind BucketMove, ShardCluster, ShardPolicy, Router or Session
     */
    record Blocker(String kind, String name, String reason) {
        public static Blocker of(Closure closure) {
            return new Blocker("ShardPolicy", closure.policy(), closure.reason());
        }
    }
}
