package io.shardwright.planning.moves;

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

    /**
     * One step to take now.
     *
     * @param group the buckets that the step is about: one switch group of a SWITCH; those to announce, publish, fold or
     *     withdraw; all buckets of the move for the other steps
     */
    record Act(MovePhase phase, MoveStep step, SortedSet<Integer> group, String reason) implements MoveDecision {
        public Act {
            group = Collections.unmodifiableSortedSet(new TreeSet<>(group));
        }
    }

    /**
     * Nothing to do now.
     *
     * @param awaited what must happen next, and who can make it happen
     * @param until when the planner wants to be asked again at the latest; empty = only an event helps
     */
    record Wait(MovePhase phase, String reason, String awaited, Optional<Instant> until, List<Blocker> blockedBy)
            implements MoveDecision {
        public Wait {
            blockedBy = List.copyOf(blockedBy);
        }
    }

    /** A terminal phase with its evidence. */
    record Done(MovePhase phase, String reason) implements MoveDecision {}

    /**
     * Who this move waits for.
     *
     * @param kind BucketMove, ShardCluster, Router or Session
     */
    record Blocker(String kind, String name, String reason) {}
}
