package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
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
    public static void lock(Connection target, Incarnation incarnation, Collection<Scope> scopes)
            throws SQLException, MoverFault {
        SortedMap<Scope, FenceRow> rows = FenceRows.readForShare(target, scopes);
        for (Scope scope : scopes) {
            if (!writable(rows.get(scope), incarnation)) {
                throw lost(rows, incarnation, scopes);
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
    public static MoverFault lost(Connection target, Incarnation incarnation, Collection<Scope> scopes)
            throws SQLException {
        target.rollback();
        return lost(FenceRows.read(target, scopes), incarnation, scopes);
    }

    private static MoverFault lost(SortedMap<Scope, FenceRow> rows, Incarnation incarnation, Collection<Scope> scopes) {
        SortedSet<Scope> against = with(FenceState.ABORTED, rows, incarnation, scopes);
        if (!against.isEmpty()) {
            return MoverFault.decidedAgainst(against);
        }
        String shard = "shard " + incarnation.target().shard();
        SortedSet<Scope> activated = with(FenceState.OWNED, rows, incarnation, scopes);
        if (!activated.isEmpty()) {
            return MoverFault.blocked(
                    shard + ": " + Scope.words(activated) + " are activated already",
                    "nothing: the fence rows are read again, and the move goes on with the other buckets");
        }
        SortedSet<Scope> gone = new TreeSet<>(scopes);
        gone.removeIf(scope -> writable(rows.get(scope), incarnation));
        String seen = gone.stream().map(scope -> text(rows.get(scope))).toList().toString();
        return incarnation.task().reversalOf().isPresent()
                ? MoverFault.diverged(shard + ": " + Scope.words(gone) + " were written on shard "
                        + incarnation.source().shard() + ", but the fence rows here say " + seen)
                : MoverFault.positionLost(shard + ": the fence rows of " + Scope.words(gone)
                        + " do not say IMPORTING any more, but " + seen);
    }

    private static String text(FenceRow row) {
        return row == null ? "nothing" : row.state() + " epoch " + row.epoch() + " of move " + row.moveId();
    }

    private static SortedSet<Scope> with(
            FenceState state, SortedMap<Scope, FenceRow> rows, Incarnation incarnation, Collection<Scope> scopes) {
        SortedSet<Scope> chosen = new TreeSet<>(scopes);
        chosen.removeIf(scope -> !ours(rows.get(scope), state, incarnation));
        return chosen;
    }

    private static boolean ours(FenceRow row, FenceState state, Incarnation incarnation) {
        return row != null && row.state() == state && incarnation.moveId().equals(row.moveId());
    }
}
