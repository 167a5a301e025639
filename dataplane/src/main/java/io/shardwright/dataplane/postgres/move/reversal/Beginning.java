package io.shardwright.dataplane.postgres.move.reversal;

import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.SortedSet;

/**
 * Begins a reversal: what the source will be left with is written down, then the tombstones of the target become IMPORTING by
 * the reversal. Until then the way back can be taken down without a trace; from then on it ends by a decision.
 */
public final class Beginning {
    private final Incarnation incarnation;
    private final SortedSet<Scope> scopes;
    private final Truth truth;

    /** @param truth as read after the claim; @param scopes that can go back */
    public Beginning(Incarnation incarnation, Truth truth, SortedSet<Scope> scopes) {
        this.incarnation = incarnation;
        this.truth = truth;
        this.scopes = scopes;
    }

    public void run() throws MoverFault {
        if (scopes.isEmpty()) {
            return;
        }
        incarnation.step(
                MoverStep.RECORD_CLEANUP,
                () -> incarnation.source().commit("write cleanup records", connection -> {
                    SourceClaim.lock(connection, incarnation.moveId(), incarnation.token());
                    CleanupRecords.recordRows(connection, incarnation.moveId(), incarnation.token(), scopes);
                    return null;
                }));
        incarnation.step(
                MoverStep.BEGIN_REVERSAL,
                () -> incarnation.target().commit("mark buckets as importing", this::markImporting));
    }

    /** All of them, or a fault and none. The hint to the owner stays: routers that are late still find here where to go. */
    private Void markImporting(Connection connection) throws SQLException, MoverFault {
        ProgressRow.lock(connection, incarnation);
        for (Scope scope : scopes) {
            FenceRow tombstone = truth.target().get(scope);
            FenceRow importing = new FenceRow(
                    scope,
                    FenceState.IMPORTING,
                    truth.source().get(scope).epoch(),
                    tombstone.owner(),
                    incarnation.moveId());
            if (!FenceRows.swap(connection, tombstone, importing)) {
                throw MoverFault.blocked(
                        "shard " + incarnation.target().shard() + ": the fence of " + scope.words()
                                + " changed at the same moment",
                        "nothing: it is read and tried again");
            }
        }
        return null;
    }
}
