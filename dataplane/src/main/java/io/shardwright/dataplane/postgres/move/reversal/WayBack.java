package io.shardwright.dataplane.postgres.move.reversal;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.truth.FencePairs;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.SortedSet;
import java.util.UUID;

/**
 * Where the buckets of a reversal stand, from their two fence rows alone. Its source is the target of the move that it takes
 * back, so a bucket can go back while its source owns it by that move and its target has that move's tombstone.
 */
public final class WayBack {
    private final UUID taken;
    private final UUID reversal;
    private final FencePairs pairs;

    /** @param task of a reversal */
    public WayBack(MoveTask task, Truth truth) {
        taken = task.reversalOf().orElseThrow();
        reversal = task.moveId();
        pairs = new FencePairs(task, truth);
    }

    /** They can go back, and nothing has been done about it. */
    public SortedSet<Scope> open() {
        return pairs.those((source, target) -> tombstone(target)
                && FencePairs.is(source, FenceState.OWNED, taken)
                && source.epoch() == target.epoch());
    }

    /** The target is IMPORTING again. */
    public SortedSet<Scope> begun() {
        return pairs.those((source, target) -> FencePairs.is(target, FenceState.IMPORTING, reversal));
    }

    /** The target owns them again. */
    public SortedSet<Scope> takenBack() {
        return pairs.those((source, target) -> FencePairs.is(target, FenceState.OWNED, reversal));
    }

    /** Fenced on the source, wherever the decision stands. */
    public SortedSet<Scope> fenced() {
        SortedSet<Scope> fenced = pairs.those((source, target) -> FencePairs.is(source, FenceState.MOVED, reversal));
        fenced.removeAll(takenBack());
        return fenced;
    }

    /** It was decided against them; the tombstone may be there again already, and then the source's new epoch says so. */
    public SortedSet<Scope> decidedAgainst() {
        return pairs.those((source, target) -> FencePairs.is(target, FenceState.ABORTED, reversal)
                || (tombstone(target) && FencePairs.is(source, FenceState.OWNED, reversal)));
    }

    /** Nothing of the set is left that could go back or be decided about. */
    public boolean over() {
        return !takenBack().isEmpty()
                && open().isEmpty()
                && begun().isEmpty()
                && fenced().isEmpty()
                && decidedAgainst().isEmpty();
    }

    /** It is more than a stream that follows: what becomes of it is a matter of decisions. */
    public boolean hasBegun() {
        return !begun().isEmpty()
                || !takenBack().isEmpty()
                || !fenced().isEmpty()
                || !decidedAgainst().isEmpty();
    }

    /** The move that can be taken back has fenced a bucket already: what its target writes must be in the stream by now. */
    public boolean needed() {
        return !pairs.those(
                        (source, target) -> tombstone(target) || (target != null && reversal.equals(target.moveId())))
                .isEmpty();
    }

    /** A stream that cannot go on, so that nobody knows what the target lacks. The move that was to be taken back goes on. */
    public static MoverFault lost(MoveTask task, Kind kind, String seen) {
        String from = task.source().shard();
        String to = task.target().shard();
        return new MoverFault(
                kind,
                false,
                "the move to shard " + from + " cannot be reversed any more: " + seen,
                "nothing while shard " + from
                        + " is the right owner; else let this move end, and make a BucketMove from " + from + " to "
                        + to,
                null);
    }

    private boolean tombstone(FenceRow target) {
        return FencePairs.is(target, FenceState.MOVED, taken);
    }
}
