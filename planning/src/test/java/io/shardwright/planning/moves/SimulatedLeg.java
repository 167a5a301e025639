package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
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
    private final SortedSet<Scope> rowsOnFrom;
    private final SortedSet<Scope> rowsOnTo;
    final Leg leg;
    final SortedMap<Scope, FenceRow> from;
    final SortedMap<Scope, FenceRow> to;
    /** the progress row: who may write, and whether the copy is complete and the stream can go on */
    private int token;

    boolean copied;

    SimulatedLeg(
            MoveWorld world,
            Leg leg,
            SortedMap<Scope, FenceRow> from,
            SortedMap<Scope, FenceRow> to,
            SortedSet<Scope> rowsOnFrom,
            SortedSet<Scope> rowsOnTo) {
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

    void importing(SortedSet<Scope> scopes, int mine) {
        if (mine != token) {
            return;
        }
        copied &= leg == Leg.BACK;
        for (Scope scope : scopes) {
            FenceRow owner = from.get(scope);
            if (owner != null && owner.state() == FenceState.OWNED && isFree(owner, to.get(scope))) {
                to.put(scope, row(scope, FenceState.IMPORTING, owner.epoch(), moveId));
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

    void copy(SortedSet<Scope> scopes, int mine) {
        if (mine == token) {
            for (Scope scope : scopes) {
                if (isImporting(scope)) {
                    rowsOnTo.add(scope);
                }
            }
            copied = scopes.stream().allMatch(scope -> !MoveWorld.owns(from, scope) || isImporting(scope));
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
    boolean fence(SortedSet<Scope> group, int mine) {
        boolean all = mine == token
                && group.stream()
                        .allMatch(scope -> MoveWorld.owns(from, scope)
                                && isImporting(scope)
                                && from.get(scope).epoch() == to.get(scope).epoch());
        if (all) {
            group.forEach(scope ->
                    from.put(scope, row(scope, FenceState.MOVED, from.get(scope).epoch() + 1, moveId)));
        }
        return all;
    }

    /** 7d: one transaction for the group. */
    boolean activate(SortedSet<Scope> group, int mine) {
        boolean all = mine == token
                && copied
                && group.stream()
                        .allMatch(scope -> isImporting(scope)
                                && from.get(scope).state() == FenceState.MOVED
                                && ours(from.get(scope)));
        if (all) {
            group.forEach(scope ->
                    to.put(scope, row(scope, FenceState.OWNED, to.get(scope).epoch() + 1, moveId)));
        }
        return all;
    }

    boolean takesWrites(SortedMap<Scope, FenceRow> side) {
        return side != world.source || world.sourceTakesWrites;
    }

    /** What this leg has fenced and not activated. */
    SortedSet<Scope> fenced() {
        SortedSet<Scope> fenced = new TreeSet<>(from.keySet());
        fenced.removeIf(scope -> from.get(scope).state() != FenceState.MOVED
                || !ours(from.get(scope))
                || !isImporting(scope)
                || to.get(scope).epoch() != from.get(scope).epoch() - 1);
        return fenced;
    }

    /** Before a row of the copy is replaced: nobody may take what is there for the whole of it. */
    void forget(int mine) {
        copied &= mine != token;
    }

    void empty(SortedSet<Scope> scopes, int mine) {
        if (mine == token) {
            scopes.stream().filter(this::isImporting).forEach(rowsOnTo::remove);
        }
    }

    void copyBehindTheFence(SortedSet<Scope> scopes, int mine) {
        if (mine == token && fenced().containsAll(scopes)) {
            rowsOnTo.addAll(scopes);
        }
    }

    /** 7d without the stream. */
    boolean activateStill(SortedSet<Scope> scopes, int mine) {
        boolean all = mine == token && fenced().containsAll(scopes);
        if (all) {
            scopes.forEach(scope ->
                    to.put(scope, row(scope, FenceState.OWNED, to.get(scope).epoch() + 1, moveId)));
        }
        return all;
    }

    void abortTarget(SortedSet<Scope> scopes) {
        for (Scope scope : scopes) {
            FenceRow row = to.get(scope);
            FenceRow owner = from.get(scope);
            boolean lost = (row == null || (!ours(row) && row.state() != FenceState.OWNED))
                    && owner != null
                    && owner.state() == FenceState.MOVED
                    && ours(owner);
            if (isImporting(scope) || lost || wasDemoted(owner, row)) {
                to.put(scope, row(scope, FenceState.ABORTED, lost ? owner.epoch() - 1 : row.epoch(), moveId));
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

    void reclaimSource(SortedSet<Scope> scopes) {
        for (Scope scope : scopes) {
            FenceRow owner = from.get(scope);
            FenceRow row = to.get(scope);
            boolean decided = row != null && row.state() == FenceState.ABORTED && ours(row);
            if (decided && ((owner.state() == FenceState.MOVED && ours(owner)) || owner.epoch() == row.epoch())) {
                from.put(scope, row(scope, FenceState.OWNED, row.epoch() + 2, moveId));
            }
        }
    }

    /** Somebody has looked at whatever a closed owner took on this side; a way back deletes nothing on its target. */
    boolean mayDelete(SortedMap<Scope, FenceRow> side, SortedSet<Scope> scopes) {
        String shard = side == world.source ? MoveWorld.SOURCE : MoveWorld.TARGET;
        boolean deletes = side == from || leg == Leg.THERE;
        return !deletes
                || scopes.stream()
                        .noneMatch(scope -> shard.equals(world.demoted.get(scope)) && !MoveWorld.owns(side, scope));
    }

    /** A way there deletes what it had copied; a way back puts the tombstone in its place again. */
    void cleanTarget(SortedSet<Scope> scopes) {
        for (Scope scope : scopes) {
            FenceRow row = to.get(scope);
            boolean decided = row != null && row.state() == FenceState.ABORTED && ours(row);
            if (decided && leg == Leg.THERE) {
                rowsOnTo.remove(scope);
            } else if (decided && MoveWorld.owns(from, scope)) {
                to.put(scope, row(scope, FenceState.MOVED, from.get(scope).epoch(), otherLeg));
            }
        }
    }

    /** @return false when the source owns a bucket that has moved: then none of its rows is deleted */
    boolean cleanSource(Scope scope) {
        FenceRow owner = from.get(scope);
        if (owner != null && owner.state() == FenceState.MOVED && ours(owner)) {
            rowsOnFrom.remove(scope);
        }
        return !MoveWorld.owns(from, scope) || !MoveWorld.owns(to, scope);
    }

    /** The older of two owners is closed; of its rows nothing is known but that it took some. */
    void demote(Scope scope) {
        FenceRow source = from.get(scope);
        FenceRow target = to.get(scope);
        if (!MoveWorld.owns(from, scope) || !MoveWorld.owns(to, scope) || source.epoch() == target.epoch()) {
            return;
        }
        boolean sourceIsOlder = source.epoch() < target.epoch();
        FenceRow owner = sourceIsOlder ? target : source;
        (sourceIsOlder ? from : to).put(scope, row(scope, FenceState.MOVED, owner.epoch(), owner.moveId()));
        world.demoted.put(scope, sourceIsOlder == (leg == Leg.THERE) ? MoveWorld.SOURCE : MoveWorld.TARGET);
    }

    /** A failover of the source takes away what a step has relied on: its standby was asynchronous, and that was accepted. */
    void sourceLosesItsFence(Scope scope) {
        FenceRow row = from.get(scope);
        boolean fenced = row != null && row.state() == FenceState.MOVED && ours(row);
        if (fenced && MoveWorld.owns(to, scope) && ours(to.get(scope)) && rowsOnFrom.contains(scope)) {
            from.put(scope, row(scope, FenceState.OWNED, row.epoch() - 1, leg == Leg.THERE ? null : otherLeg));
            world.there.copied = false;
            world.back.copied = false;
            world.lostFences.add(scope);
        }
    }

    /** A failover of the target takes commits away that no step has relied on yet. */
    void targetLosesACommit(Scope scope) {
        FenceRow row = to.get(scope);
        if (row != null && ours(row) && row.state() == FenceState.OWNED) {
            to.put(scope, row(scope, FenceState.IMPORTING, row.epoch() - 1, moveId));
        } else if (leg == Leg.THERE && isImporting(scope) && !copied) {
            to.remove(scope);
            rowsOnTo.remove(scope); // what was copied came later in the same log
        }
    }

    private boolean isImporting(Scope scope) {
        FenceRow row = to.get(scope);
        return row != null && row.state() == FenceState.IMPORTING && ours(row);
    }

    boolean ours(FenceRow row) {
        return moveId.equals(row.moveId());
    }

    private static FenceRow row(Scope scope, FenceState state, long epoch, UUID move) {
        return new FenceRow(scope, state, epoch, null, move);
    }
}
