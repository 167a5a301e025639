package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The decision against a move. It is made in one place, the compare-and-swap of the target's fence row: whoever commits
 * first there, activation or abort, has decided. Only when ABORTED is durable does the source become the owner again, with
 * an epoch that also stops a frozen fence of an older mover.
 */
public final class DecisionAgainst {
    private final Incarnation incarnation;
    private final SortedSet<Integer> buckets;

    public DecisionAgainst(Incarnation incarnation, SortedSet<Integer> buckets) {
        this.incarnation = incarnation;
        this.buckets = buckets;
    }

    /** @return buckets that are decided against; those that are missing were activated, or never begun */
    public SortedSet<Integer> run() throws MoverFault {
        SortedMap<Integer, FenceRow> source =
                incarnation.source().read("read the fence", connection -> FenceRows.read(connection, buckets));
        SortedMap<Integer, FenceRow> aborted = incarnation.step(
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

    private SortedMap<Integer, FenceRow> abort(Connection connection, SortedMap<Integer, FenceRow> source)
            throws SQLException {
        SortedMap<Integer, FenceRow> seen = FenceRows.read(connection, buckets);
        for (int bucket : buckets) {
            abort(connection, bucket, seen.get(bucket), source.get(bucket));
        }
        SortedMap<Integer, FenceRow> now = FenceRows.readForShare(connection, buckets);
        now.values().removeIf(row -> row.state() != FenceState.ABORTED || !isOurs(row));
        return now;
    }

    /** A target without our row after the fence has lost it in a failover; a zombie must not find it free. */
    private void abort(Connection connection, int bucket, FenceRow target, FenceRow source) throws SQLException {
        boolean fenced = source != null && source.state() == FenceState.MOVED && isOurs(source);
        if (target == null) {
            if (fenced) {
                FenceRows.insertAborted(connection, bucket, incarnation.moveId(), source.epoch() - 1);
            }
        } else if (target.state() == FenceState.IMPORTING && isOurs(target)) {
            FenceRows.swap(connection, target, aborted(bucket, target.epoch()));
        } else if (fenced && !isOurs(target) && target.state() != FenceState.OWNED) {
            FenceRows.swap(connection, target, aborted(bucket, source.epoch() - 1));
        }
    }

    private FenceRow aborted(int bucket, long epoch) {
        return new FenceRow(bucket, FenceState.ABORTED, epoch, null, incarnation.moveId());
    }

    private Void reclaim(Connection connection, SortedMap<Integer, FenceRow> aborted) throws SQLException, MoverFault {
        SortedMap<Integer, FenceRow> seen = FenceRows.read(connection, aborted.keySet());
        for (FenceRow against : aborted.values()) {
            FenceRow row = seen.get(against.bucket());
            long epoch = against.epoch();
            FenceRow owned = new FenceRow(
                    against.bucket(),
                    FenceState.OWNED,
                    epoch + 2,
                    incarnation.source().shard(),
                    incarnation.moveId());
            boolean open = row != null && row.state() == FenceState.OWNED && row.epoch() == epoch;
            boolean fenced = row != null && row.state() == FenceState.MOVED && isOurs(row) && row.epoch() == epoch + 1;
            if ((open || fenced) && !FenceRows.swap(connection, row, owned)) {
                throw MoverFault.blocked(
                        "shard " + incarnation.source().shard() + ": bucket " + against.bucket()
                                + " changed while it was reclaimed",
                        "none: it is tried again");
            }
        }
        return null;
    }

    private boolean isOurs(FenceRow row) {
        return incarnation.moveId().equals(row.moveId());
    }
}
