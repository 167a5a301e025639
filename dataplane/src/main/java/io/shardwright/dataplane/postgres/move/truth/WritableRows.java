package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The target's fence rows that let a mover write rows there, and what it means when one of them is another. A move fills what
 * is IMPORTING by it; a reversal also keeps the rows true that lie behind the tombstones of the move that it may take back.
 */
public final class WritableRows {
    /** Two parameters, see {@link #bind}. */
    public static final String CONDITION =
            "((state = 'IMPORTING' AND move_id = ?) OR (state = 'MOVED' AND move_id = ?))";

    private WritableRows() {}

    /** Fills the parameters of {@link #CONDITION}, which have these two places. */
    public static void bind(PreparedStatement statement, int from, Incarnation incarnation) throws SQLException {
        statement.setObject(from, incarnation.moveId());
        statement.setObject(from + 1, incarnation.task().reversalOf().orElse(null), Types.OTHER);
    }

    /** Locks the rows of these buckets; until the end of the transaction all of them are ours to fill. */
    public static void lock(Connection target, Incarnation incarnation, Collection<Integer> buckets)
            throws SQLException, MoverFault {
        SortedMap<Integer, FenceRow> rows = FenceRows.readForShare(target, buckets);
        for (int bucket : buckets) {
            if (!writable(rows.get(bucket), incarnation)) {
                throw lost(rows, incarnation, buckets);
            }
        }
    }

    private static boolean writable(FenceRow row, Incarnation incarnation) {
        return ours(row, FenceState.IMPORTING, incarnation) || behindTombstone(row, incarnation);
    }

    private static boolean behindTombstone(FenceRow row, Incarnation incarnation) {
        return row != null
                && row.state() == FenceState.MOVED
                && incarnation
                        .task()
                        .reversalOf()
                        .filter(move -> move.equals(row.moveId()))
                        .isPresent();
    }

    /** Why not all rows of these buckets were writable by this move; undoes the transaction, to see what is committed. */
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
        gone.removeIf(bucket -> writable(rows.get(bucket), incarnation));
        String seen =
                gone.stream().map(bucket -> text(rows.get(bucket))).toList().toString();
        return incarnation.task().reversalOf().isPresent()
                ? MoverFault.diverged(shard + ": buckets " + gone + " were written on shard "
                        + incarnation.source().shard() + ", but the fence rows here say " + seen)
                : MoverFault.positionLost(
                        shard + ": the fence rows of buckets " + gone + " do not say IMPORTING any more, but " + seen);
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
