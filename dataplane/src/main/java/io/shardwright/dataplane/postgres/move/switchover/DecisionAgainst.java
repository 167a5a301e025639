package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The decision against a move. It is made in one place, the compare-and-swap of the target's fence row: whoever commits
 * first there, activation or abort, has decided. Only when ABORTED is durable does the source become the owner again, with
 * an epoch that also stops a frozen fence of an older mover.
 *
 * <p>A source that takes no writes could not take the buckets back, and nobody else may once they are ABORTED; so it is asked first,
 * by a write of the very rows. One that stops to take writes in between leaves them without an owner until it takes them again.
 */
public final class DecisionAgainst {
    private final Incarnation incarnation;
    private final SortedSet<Scope> scopes;

    public DecisionAgainst(Incarnation incarnation, SortedSet<Scope> scopes) {
        this.incarnation = incarnation;
        this.scopes = scopes;
    }

    /**
     * @return buckets that are decided against; those that are missing were activated, or never begun
     * @throws MoverFault SOURCE_READ_ONLY when nothing was decided, because the source takes no writes
     */
    public SortedSet<Scope> run() throws MoverFault {
        SortedMap<Scope, FenceRow> source = incarnation.step(MoverStep.PROBE_SOURCE, this::probe);
        SortedMap<Scope, FenceRow> aborted = incarnation.step(
                MoverStep.ABORT_TARGET,
                () -> incarnation.target().commit("decide against the move", connection -> abort(connection, source)));
        if (!aborted.isEmpty()) {
            incarnation.step(
                    MoverStep.RECLAIM_SOURCE,
                    () -> incarnation
                            .source()
                            .commit("reclaim the buckets", connection -> reclaim(connection, aborted)));
        }
        return new TreeSet<>(aborted.keySet());
    }

    private SortedMap<Scope, FenceRow> probe() throws MoverFault {
        return incarnation.writeSource(() -> incarnation
                .source()
                .attempt("see whether buckets can be taken back", connection -> {
                    FenceRows.rewrite(connection, scopes, incarnation.moveId());
                    return FenceRows.read(connection, scopes);
                }));
    }

    private SortedMap<Scope, FenceRow> abort(Connection connection, SortedMap<Scope, FenceRow> source)
            throws SQLException, MoverFault {
        SortedMap<Scope, FenceRow> seen = FenceRows.read(connection, scopes);
        for (Scope scope : scopes) {
            abort(connection, scope, seen.get(scope), source.get(scope));
        }
        SortedMap<Scope, FenceRow> now = FenceRows.readForShare(connection, scopes);
        now.values().removeIf(row -> row.state() != FenceState.ABORTED || !isOurs(row));
        return now;
    }

    private void abort(Connection connection, Scope scope, FenceRow target, FenceRow source)
            throws SQLException, MoverFault {
        boolean fenced = source != null && source.state() == FenceState.MOVED && isOurs(source);
        if (target != null && isOurs(target)) {
            if (target.state() == FenceState.IMPORTING || demoted(target, source)) {
                FenceRows.swap(connection, target, aborted(scope, target.epoch()));
            }
        } else if (fenced) {
            abortLost(connection, scope, target, source);
        }
    }

    /** The target was the older of two owners, so the source had taken the bucket back already. */
    private boolean demoted(FenceRow target, FenceRow source) {
        return target.state() == FenceState.MOVED
                && source != null
                && source.state() == FenceState.OWNED
                && isOurs(source)
                && source.epoch() == target.epoch();
    }

    /**
     * The source is fenced and the target has no row of ours: it has lost IMPORTING in a failover, and a zombie must not
     * find it free; or it was activated long ago, and the bucket has gone on from there. Epochs only grow, so a row with
     * an epoch below the fence proves that the target never owned the bucket by this move; and a move that has ended has no
     * progress row any more.
     */
    private void abortLost(Connection connection, Scope scope, FenceRow target, FenceRow source)
            throws SQLException, MoverFault {
        boolean cameHome = target == null && ownsBucket(connection, scope);
        boolean older = target == null
                || ((target.state() == FenceState.MOVED || target.state() == FenceState.ABORTED)
                        && target.epoch() < source.epoch());
        if (cameHome || !older || ProgressRow.read(connection, incarnation).isEmpty()) {
            throw MoverFault.blocked(
                    scope.words() + " is fenced on shard "
                            + incarnation.source().shard() + " at epoch " + source.epoch() + ", and shard "
                            + incarnation.target().shard() + " has "
                            + (target == null
                                    ? "no row and no progress of this move"
                                    : target.state() + " epoch " + target.epoch() + " of move " + target.moveId())
                            + ": nothing is decided against what may have been activated",
                    "compare the fence rows of " + scope.words()
                            + " on all shards; if another move has taken it on, this" + " one has ended");
        }
        if (target == null) {
            FenceRows.insertAborted(connection, scope, incarnation.moveId(), source.epoch() - 1);
        } else {
            FenceRows.swap(connection, target, aborted(scope, source.epoch() - 1));
        }
    }

    /** Of a key whose bucket the target owns no row may be left, because it was folded back. */
    private static boolean ownsBucket(Connection connection, Scope scope) throws SQLException {
        FenceRow bucket = FenceRows.read(connection, Set.of(scope.ofBucket())).get(scope.ofBucket());
        return scope.isKey() && bucket != null && bucket.state() == FenceState.OWNED;
    }

    private FenceRow aborted(Scope scope, long epoch) {
        return new FenceRow(scope, FenceState.ABORTED, epoch, null, incarnation.moveId());
    }

    private Void reclaim(Connection connection, SortedMap<Scope, FenceRow> aborted) throws SQLException, MoverFault {
        SortedMap<Scope, FenceRow> seen = FenceRows.read(connection, aborted.keySet());
        for (FenceRow against : aborted.values()) {
            FenceRow row = seen.get(against.scope());
            long epoch = against.epoch();
            FenceRow owned = new FenceRow(
                    against.scope(),
                    FenceState.OWNED,
                    epoch + 2,
                    incarnation.source().shard(),
                    incarnation.moveId());
            boolean open = row != null && row.state() == FenceState.OWNED && row.epoch() == epoch;
            boolean fenced = row != null && row.state() == FenceState.MOVED && isOurs(row) && row.epoch() == epoch + 1;
            if ((open || fenced) && !FenceRows.swap(connection, row, owned)) {
                throw MoverFault.blocked(
                        "shard " + incarnation.source().shard() + ": "
                                + against.scope().words() + " changed while it was reclaimed",
                        "nothing: it is read and tried again");
            }
        }
        return null;
    }

    private boolean isOurs(FenceRow row) {
        return incarnation.moveId().equals(row.moveId());
    }
}
