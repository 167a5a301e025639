package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What movers of one leg do to the two databases. Every change is a compare-and-swap as in the protocol, so whoever comes late
 * changes nothing.
 */
final class SimulatedLeg {
    private final MoveWorld world;
    private final UUID moveId;
    private final UUID otherLeg;
    private final SortedSet<Integer> rowsOnFrom;
    private final SortedSet<Integer> rowsOnTo;
    final Leg leg;
    final SortedMap<Integer, FenceRow> from;
    final SortedMap<Integer, FenceRow> to;
    /** the progress row: who may write, and whether the copy is complete and the stream can go on */
    private int token;

    boolean copied;

    SimulatedLeg(
            MoveWorld world,
            Leg leg,
            SortedMap<Integer, FenceRow> from,
            SortedMap<Integer, FenceRow> to,
            SortedSet<Integer> rowsOnFrom,
            SortedSet<Integer> rowsOnTo) {
        this.world = world;
        this.leg = leg;
        this.from = from;
        this.to = to;
        this.rowsOnFrom = rowsOnFrom;
        this.rowsOnTo = rowsOnTo;
        moveId = leg == Leg.THERE ? MoveWorld.MOVE : MoveWorld.REVERSAL;
        otherLeg = leg == Leg.THERE ? MoveWorld.REVERSAL : MoveWorld.MOVE;
    }

    Optional<Truth> read() {
        return world.readable()
                ? Optional.of(new Truth(from, to, copied, Duration.ZERO, world.demoted))
                : Optional.empty();
    }

    int newToken() {
        return ++token;
    }

    void importing(SortedSet<Integer> buckets, int mine) {
        if (mine != token) {
            return;
        }
        copied &= leg == Leg.BACK;
        for (int bucket : buckets) {
            FenceRow owner = from.get(bucket);
            if (owner != null && owner.state() == FenceState.OWNED && isFree(owner, to.get(bucket))) {
                to.put(bucket, row(bucket, FenceState.IMPORTING, owner.epoch(), moveId));
            }
        }
    }

    /** A way back begins where the way there has left its tombstone for the very owner. */
    private boolean isFree(FenceRow owner, FenceRow row) {
        if (leg == Leg.BACK) {
            return row.state() == FenceState.MOVED
                    && otherLeg.equals(row.moveId())
                    && otherLeg.equals(owner.moveId())
                    && owner.epoch() == row.epoch();
        }
        return row == null || row.state() == FenceState.MOVED || (row.state() == FenceState.ABORTED && !ours(row));
    }

    void copy(SortedSet<Integer> buckets, int mine) {
        if (mine == token) {
            for (int bucket : buckets) {
                if (isImporting(bucket)) {
                    rowsOnTo.add(bucket);
                }
            }
            copied = buckets.stream().allMatch(bucket -> !MoveWorld.owns(from, bucket) || isImporting(bucket));
            world.written &= leg == Leg.BACK;
        }
    }

    /** Of the way back: a slot from before the first fence on, or none. */
    boolean follow(int mine) {
        boolean tooLate =
                to.values().stream().anyMatch(row -> row.state() == FenceState.MOVED && otherLeg.equals(row.moveId()));
        copied |= mine == token && !tooLate;
        return copied;
    }

    /** 7c with the claim: one transaction for the group. */
    boolean fence(SortedSet<Integer> group, int mine) {
        boolean all = mine == token
                && group.stream()
                        .allMatch(bucket -> MoveWorld.owns(from, bucket)
                                && isImporting(bucket)
                                && from.get(bucket).epoch() == to.get(bucket).epoch());
        if (all) {
            group.forEach(bucket -> from.put(
                    bucket, row(bucket, FenceState.MOVED, from.get(bucket).epoch() + 1, moveId)));
        }
        return all;
    }

    /** 7d: one transaction for the group. */
    boolean activate(SortedSet<Integer> group, int mine) {
        boolean all = mine == token
                && copied
                && group.stream()
                        .allMatch(bucket -> isImporting(bucket)
                                && from.get(bucket).state() == FenceState.MOVED
                                && ours(from.get(bucket)));
        if (all) {
            group.forEach(bucket ->
                    to.put(bucket, row(bucket, FenceState.OWNED, to.get(bucket).epoch() + 1, moveId)));
        }
        return all;
    }

    boolean takesWrites(SortedMap<Integer, FenceRow> side) {
        return side != world.source || world.sourceTakesWrites;
    }

    /** What this leg has fenced and not activated. */
    SortedSet<Integer> fenced() {
        SortedSet<Integer> fenced = new TreeSet<>(from.keySet());
        fenced.removeIf(bucket -> from.get(bucket).state() != FenceState.MOVED
                || !ours(from.get(bucket))
                || !isImporting(bucket)
                || to.get(bucket).epoch() != from.get(bucket).epoch() - 1);
        return fenced;
    }

    /** Before a row of the copy is replaced: nobody may take what is there for the whole of it. */
    void forget(int mine) {
        copied &= mine != token;
    }

    void empty(SortedSet<Integer> buckets, int mine) {
        if (mine == token) {
            buckets.stream().filter(this::isImporting).forEach(rowsOnTo::remove);
        }
    }

    void copyBehindTheFence(SortedSet<Integer> buckets, int mine) {
        if (mine == token && fenced().containsAll(buckets)) {
            rowsOnTo.addAll(buckets);
        }
    }

    /** 7d without the stream. */
    boolean activateStill(SortedSet<Integer> buckets, int mine) {
        boolean all = mine == token && fenced().containsAll(buckets);
        if (all) {
            buckets.forEach(bucket ->
                    to.put(bucket, row(bucket, FenceState.OWNED, to.get(bucket).epoch() + 1, moveId)));
        }
        return all;
    }

    void abortTarget(SortedSet<Integer> buckets) {
        for (int bucket : buckets) {
            FenceRow row = to.get(bucket);
            FenceRow owner = from.get(bucket);
            boolean lost = (row == null || (!ours(row) && row.state() != FenceState.OWNED))
                    && owner != null
                    && owner.state() == FenceState.MOVED
                    && ours(owner);
            if (isImporting(bucket) || lost || wasDemoted(owner, row)) {
                to.put(bucket, row(bucket, FenceState.ABORTED, lost ? owner.epoch() - 1 : row.epoch(), moveId));
            }
        }
    }

    private boolean wasDemoted(FenceRow owner, FenceRow row) {
        return row != null
                && owner != null
                && row.state() == FenceState.MOVED
                && owner.state() == FenceState.OWNED
                && ours(row)
                && ours(owner)
                && row.epoch() == owner.epoch();
    }

    void reclaimSource(SortedSet<Integer> buckets) {
        for (int bucket : buckets) {
            FenceRow owner = from.get(bucket);
            FenceRow row = to.get(bucket);
            boolean decided = row != null && row.state() == FenceState.ABORTED && ours(row);
            if (decided && ((owner.state() == FenceState.MOVED && ours(owner)) || owner.epoch() == row.epoch())) {
                from.put(bucket, row(bucket, FenceState.OWNED, row.epoch() + 2, moveId));
            }
        }
    }

    /** Somebody has looked at whatever a closed owner took on this side; a way back deletes nothing on its target. */
    boolean mayDelete(SortedMap<Integer, FenceRow> side, SortedSet<Integer> buckets) {
        String shard = side == world.source ? MoveWorld.SOURCE : MoveWorld.TARGET;
        boolean deletes = side == from || leg == Leg.THERE;
        return !deletes
                || buckets.stream()
                        .noneMatch(bucket -> shard.equals(world.demoted.get(bucket)) && !MoveWorld.owns(side, bucket));
    }

    /** A way there deletes what it had copied; a way back puts the tombstone in its place again. */
    void cleanTarget(SortedSet<Integer> buckets) {
        for (int bucket : buckets) {
            FenceRow row = to.get(bucket);
            boolean decided = row != null && row.state() == FenceState.ABORTED && ours(row);
            if (decided && leg == Leg.THERE) {
                rowsOnTo.remove(bucket);
            } else if (decided && MoveWorld.owns(from, bucket)) {
                to.put(bucket, row(bucket, FenceState.MOVED, from.get(bucket).epoch(), otherLeg));
            }
        }
    }

    /** @return false when the source owns a bucket that has moved: then none of its rows is deleted */
    boolean cleanSource(int bucket) {
        FenceRow owner = from.get(bucket);
        if (owner != null && owner.state() == FenceState.MOVED && ours(owner)) {
            rowsOnFrom.remove(bucket);
        }
        return !MoveWorld.owns(from, bucket) || !MoveWorld.owns(to, bucket);
    }

    /** The older of two owners is closed; of its rows nothing is known but that it took some. */
    void demote(int bucket) {
        FenceRow source = from.get(bucket);
        FenceRow target = to.get(bucket);
        if (!MoveWorld.owns(from, bucket) || !MoveWorld.owns(to, bucket) || source.epoch() == target.epoch()) {
            return;
        }
        boolean sourceIsOlder = source.epoch() < target.epoch();
        FenceRow owner = sourceIsOlder ? target : source;
        (sourceIsOlder ? from : to).put(bucket, row(bucket, FenceState.MOVED, owner.epoch(), owner.moveId()));
        world.demoted.put(bucket, sourceIsOlder == (leg == Leg.THERE) ? MoveWorld.SOURCE : MoveWorld.TARGET);
    }

    /** A failover of the source takes away what a step has relied on: its standby was asynchronous, and that was accepted. */
    void sourceLosesItsFence(int bucket) {
        FenceRow row = from.get(bucket);
        boolean fenced = row != null && row.state() == FenceState.MOVED && ours(row);
        if (fenced && MoveWorld.owns(to, bucket) && ours(to.get(bucket)) && rowsOnFrom.contains(bucket)) {
            from.put(bucket, row(bucket, FenceState.OWNED, row.epoch() - 1, leg == Leg.THERE ? null : otherLeg));
            world.there.copied = false;
            world.back.copied = false;
            world.lostFences.add(bucket);
        }
    }

    /** A failover of the target takes commits away that no step has relied on yet. */
    void targetLosesACommit(int bucket) {
        FenceRow row = to.get(bucket);
        if (row != null && ours(row) && row.state() == FenceState.OWNED) {
            to.put(bucket, row(bucket, FenceState.IMPORTING, row.epoch() - 1, moveId));
        } else if (leg == Leg.THERE && isImporting(bucket) && !copied) {
            to.remove(bucket);
            rowsOnTo.remove(bucket); // what was copied came later in the same log
        }
    }

    private boolean isImporting(int bucket) {
        FenceRow row = to.get(bucket);
        return row != null && row.state() == FenceState.IMPORTING && ours(row);
    }

    boolean ours(FenceRow row) {
        return moveId.equals(row.moveId());
    }

    private static FenceRow row(int bucket, FenceState state, long epoch, UUID move) {
        return new FenceRow(bucket, state, epoch, null, move);
    }
}
