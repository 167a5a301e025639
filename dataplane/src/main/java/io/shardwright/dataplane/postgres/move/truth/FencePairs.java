package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiPredicate;

/** The two fence rows of each bucket of a move, chosen by what both of them say; what that means is for others to tell. */
public final class FencePairs {
    private final MoveTask task;
    private final Truth truth;

    public FencePairs(MoveTask task, Truth truth) {
        this.task = task;
        this.truth = truth;
    }

    /** @param which told the row of the source, then that of the target; either is null where there is none */
    public SortedSet<Scope> those(BiPredicate<FenceRow, FenceRow> which) {
        SortedSet<Scope> chosen = new TreeSet<>(task.scopes());
        chosen.removeIf(
                scope -> !which.test(truth.source().get(scope), truth.target().get(scope)));
        return chosen;
    }

    public static boolean is(FenceRow row, FenceState state, UUID move) {
        return row != null && row.state() == state && move.equals(row.moveId());
    }
}
