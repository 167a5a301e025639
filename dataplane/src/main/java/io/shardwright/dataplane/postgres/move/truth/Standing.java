package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/** Where the buckets of a move stand, from their two fence rows alone. */
public final class Standing {
    private final UUID moveId;
    private final UUID reversal;
    private final SortedSet<Scope> all;
    private final FencePairs pairs;

    public Standing(MoveTask task, Truth truth) {
        moveId = task.moveId();
        reversal = MoveTask.reversalId(moveId);
        all = task.scopes();
        pairs = new FencePairs(task, truth);
    }

    /**
     * The target has them by this move, or had them and they have gone on from there: epochs only grow. Or they go back, or
     * have gone back: only what was activated is taken back.
     */
    public SortedSet<Scope> activated() {
        return pairs.those((source, target) -> {
            boolean owned = is(target, FenceState.OWNED);
            boolean beyond = is(source, FenceState.MOVED) && target != null && target.epoch() >= source.epoch();
            return owned || beyond || takenBackBy(source);
        });
    }

    /** The source owns them again, by the reversal of this move. */
    public SortedSet<Scope> givenBack() {
        return pairs.those((source, target) -> FencePairs.is(source, FenceState.OWNED, reversal));
    }

    /** The reversal of this move has begun with them and has not ended. */
    public SortedSet<Scope> goingBack() {
        SortedSet<Scope> going = pairs.those((source, target) -> takenBackBy(source));
        going.removeAll(givenBack());
        return going;
    }

    private boolean takenBackBy(FenceRow source) {
        return source != null && reversal.equals(source.moveId());
    }

    /** Not activated yet. */
    public SortedSet<Scope> waiting() {
        SortedSet<Scope> waiting = new TreeSet<>(all);
        waiting.removeAll(activated());
        return waiting;
    }

    /** The target is being filled. */
    public SortedSet<Scope> begun() {
        return pairs.those((source, target) -> is(target, FenceState.IMPORTING));
    }

    public SortedSet<Scope> decidedAgainst() {
        return pairs.those((source, target) -> is(target, FenceState.ABORTED));
    }

    private boolean is(FenceRow row, FenceState state) {
        return FencePairs.is(row, state, moveId);
    }
}
