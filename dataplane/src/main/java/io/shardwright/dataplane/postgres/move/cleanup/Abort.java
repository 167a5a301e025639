package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.MoveReport.KeyHold;
import io.shardwright.dataplane.postgres.move.keys.KeyFold;
import io.shardwright.dataplane.postgres.move.keys.TombstonesOfKeys;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * What an abort leaves to do after the decision: rows on the target go, then the slot, then the records of both. Keys whose bucket
 * the source owns have no fence row of their own any more. Buckets
 * that were activated before keep their records; they are cleaned up by a normal end. It waits for no standby: the slot that keeps
 * the source's log goes only behind the rows.
 */
public final class Abort {
    private final Incarnation incarnation;
    private final Consumer<KeyHold> holds;

    /** @param holds told each hold that folding keys back takes */
    public Abort(Incarnation incarnation, Consumer<KeyHold> holds) {
        this.incarnation = incarnation;
        this.holds = holds;
    }

    /** @param against buckets that are decided against; @param activated buckets that the target owns through this move */
    public void run(SortedSet<Scope> against, SortedSet<Scope> activated) throws MoverFault {
        MovedTables tables = MovedTables.of(incarnation);
        SortedSet<Scope> filled = recorded(incarnation.target(), against);
        new RowDeletion(incarnation, incarnation.target(), filled, this::aborted, Brake.NONE)
                .run(MoverStep.DELETE_TARGET_ROWS, tables);
        new SlotRemoval(incarnation).run();
        SortedSet<Scope> done = new TreeSet<>(incarnation.task().scopes());
        done.removeAll(activated);
        if (incarnation.task().ofKeys()) {
            new TombstonesOfKeys(incarnation).restore(against);
            new KeyFold(incarnation, incarnation.source(), holds).run(recorded(incarnation.source(), done));
        }
        if (incarnation.task().ofKeys() && !activated.isEmpty()) {
            done.clear(); // their records keep other moves of these keys away until this one has ended
        }
        incarnation.step(MoverStep.REMOVE_RECORDS, () -> removeRecords(done));
        incarnation.forget();
    }

    private SortedSet<Scope> recorded(Side side, SortedSet<Scope> scopes) throws MoverFault {
        return side.read(
                "read cleanup records",
                connection -> CleanupRecords.lockRows(connection, incarnation.moveId(), incarnation.token(), scopes));
    }

    private Void removeRecords(SortedSet<Scope> done) throws MoverFault {
        incarnation.target().commit("remove records", connection -> {
            CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), done);
            return null;
        });
        return incarnation.source().commit("remove records", connection -> {
            CleanupRecords.removeSlot(connection, incarnation.moveId(), incarnation.token());
            CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), done);
            return null;
        });
    }

    private boolean aborted(FenceRow row) {
        return row.state() == FenceState.ABORTED && incarnation.moveId().equals(row.moveId());
    }
}
