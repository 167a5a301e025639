package io.shardwright.dataplane.postgres.move.reversal;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Where the buckets of a reversal stand, from their two fence rows alone. Its source is the target of the move that it takes
 * back, so a bucket can go back while its source owns it by that move and its target has that move's tombstone.
 */
public final class WayBack {
    private final MoveTask task;
    private final UUID taken;
    private final Truth truth;

    /** @param task of a reversal */
    public WayBack(MoveTask task, Truth truth) {
        this.task = task;
        taken = task.reversalOf().orElseThrow();
        this.truth = truth;
    }

    /** They can go back, and nothing has been done about it. */
    public SortedSet<Integer> open() {
        return those(bucket -> tombstone(bucket)
                && is(source(bucket), FenceState.OWNED, taken)
                && source(bucket).epoch() == target(bucket).epoch());
    }

    /** The target is IMPORTING again. */
    public SortedSet<Integer> begun() {
        return those(bucket -> is(target(bucket), FenceState.IMPORTING, task.moveId()));
    }

    /** The target owns them again. */
    public SortedSet<Integer> takenBack() {
        return those(bucket -> is(target(bucket), FenceState.OWNED, task.moveId()));
    }

    /** Fenced on the source, wherever the decision stands. */
    public SortedSet<Integer> fenced() {
        SortedSet<Integer> fenced = those(bucket -> is(source(bucket), FenceState.MOVED, task.moveId()));
        fenced.removeAll(takenBack());
        return fenced;
    }

    /** It was decided against them; the tombstone may be there again already, and then the source's new epoch says so. */
    public SortedSet<Integer> decidedAgainst() {
        return those(bucket -> is(target(bucket), FenceState.ABORTED, task.moveId())
                || (tombstone(bucket) && is(source(bucket), FenceState.OWNED, task.moveId())));
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
        return !those(bucket -> tombstone(bucket)
                        || (target(bucket) != null
                                && task.moveId().equals(target(bucket).moveId())))
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

    private boolean tombstone(int bucket) {
        return is(target(bucket), FenceState.MOVED, taken);
    }

    private FenceRow source(int bucket) {
        return truth.source().get(bucket);
    }

    private FenceRow target(int bucket) {
        return truth.target().get(bucket);
    }

    private static boolean is(FenceRow row, FenceState state, UUID move) {
        return row != null && row.state() == state && move.equals(row.moveId());
    }

    private SortedSet<Integer> those(Predicate<Integer> which) {
        SortedSet<Integer> chosen = new TreeSet<>(task.buckets());
        chosen.removeIf(which.negate());
        return chosen;
    }
}
