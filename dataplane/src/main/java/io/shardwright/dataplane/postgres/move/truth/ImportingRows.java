package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/** The target's fence rows that let a mover write rows there, and what it means when one of them is another. */
public final class ImportingRows {
    private ImportingRows() {}

    /** Locks the rows of these buckets; until the end of the transaction all of them are ours to fill. */
    public static void lock(Connection target, Incarnation incarnation, Collection<Integer> buckets)
            throws SQLException, MoverFault {
        SortedMap<Integer, FenceRow> rows = FenceRows.readForShare(target, buckets);
        for (int bucket : buckets) {
            if (!ours(rows.get(bucket), FenceState.IMPORTING, incarnation)) {
                throw lost(rows, incarnation, buckets);
            }
        }
    }

    /** Why not all rows of these buckets were IMPORTING by this move; undoes the transaction, to see what is committed. */
    public static MoverFault lost(Connection target, Incarnation incarnation, Collection<Integer> buckets)
            throws SQLException {
        target.rollback();
        return lost(FenceRows.read(target, buckets), incarnation, buckets);
    }

    private static MoverFault lost(
            SortedMap<Integer, FenceRow> rows, Incarnation incarnation, Collection<Integer> buckets) {
        SortedSet<Integer> against = with(FenceState.ABORTED, rows, incarnation, buckets);
        if (!against.isEmpty()) {
            return MoverFault.decidedAgainst(against);
        }
        String shard = "shard " + incarnation.target().shard();
        SortedSet<Integer> activated = with(FenceState.OWNED, rows, incarnation, buckets);
        if (!activated.isEmpty()) {
            return MoverFault.blocked(
                    shard + ": buckets " + activated + " are activated already",
                    "nothing: the fence rows are read again, and the move goes on with the other buckets");
        }
        SortedSet<Integer> gone = new TreeSet<>(buckets);
        gone.removeAll(with(FenceState.IMPORTING, rows, incarnation, buckets));
        return MoverFault.positionLost(
                shard + ": the fence rows of buckets " + gone + " do not say IMPORTING any more, but "
                        + gone.stream().map(bucket -> text(rows.get(bucket))).toList());
    }

    private static String text(FenceRow row) {
        return row == null ? "nothing" : row.state() + " epoch " + row.epoch() + " of move " + row.moveId();
    }

    private static SortedSet<Integer> with(
            FenceState state, SortedMap<Integer, FenceRow> rows, Incarnation incarnation, Collection<Integer> buckets) {
        SortedSet<Integer> chosen = new TreeSet<>(buckets);
        chosen.removeIf(bucket -> !ours(rows.get(bucket), state, incarnation));
        return chosen;
    }

    private static boolean ours(FenceRow row, FenceState state, Incarnation incarnation) {
        return row != null && row.state() == state && incarnation.moveId().equals(row.moveId());
    }
}
