package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The end of a move, and its point of no return: the source's rows of activated buckets, then the slot, then the records.
 * The tombstones stay and send stale routers on for ever.
 */
public final class CleanUp {
    private final Incarnation incarnation;

    public CleanUp(Incarnation incarnation) {
        this.incarnation = incarnation;
    }

    /** @param truth as read after the claim; the caller has checked that all routers know the new owner */
    public void run(Truth truth) throws MoverFault {
        SortedSet<Integer> moved = moved(truth);
        SortedSet<Integer> open = open(truth);
        if (!open.isEmpty()) {
            throw MoverFault.blocked(
                    "buckets " + open + " are not decided yet, so nothing is cleaned up",
                    "switch them, or abort the rest of the move");
        }
        MovedTables tables = incarnation
                .source()
                .read(
                        "read the tables",
                        connection ->
                                MovedTables.read(connection, incarnation.task().schema()));
        SortedSet<Integer> recorded = incarnation
                .source()
                .read(
                        "read cleanup records",
                        connection ->
                                CleanupRecords.lockRows(connection, incarnation.moveId(), incarnation.token(), moved));
        new RowDeletion(incarnation, incarnation.source(), recorded, this::tombstone)
                .run(MoverStep.DELETE_SOURCE_ROWS, tables);
        new SlotRemoval(incarnation).run();
        incarnation.step(MoverStep.REMOVE_RECORDS, () -> removeRecords(moved));
        incarnation.forget();
    }

    private SortedSet<Integer> moved(Truth truth) {
        SortedSet<Integer> moved = new TreeSet<>();
        for (FenceRow row : truth.source().values()) {
            FenceRow target = truth.target().get(row.bucket());
            if (tombstone(row)
                    && target != null
                    && target.epoch() >= row.epoch()
                    && target.state() != FenceState.IMPORTING) {
                moved.add(row.bucket());
            }
        }
        return moved;
    }

    /** Neither activated nor aborted. */
    private SortedSet<Integer> open(Truth truth) {
        SortedSet<Integer> open = new TreeSet<>();
        for (FenceRow row : truth.target().values()) {
            if (row.state() == FenceState.IMPORTING && incarnation.moveId().equals(row.moveId())) {
                open.add(row.bucket());
            }
        }
        return open;
    }

    private boolean tombstone(FenceRow row) {
        return row.state() == FenceState.MOVED && incarnation.moveId().equals(row.moveId());
    }

    private Void removeRecords(SortedSet<Integer> moved) throws MoverFault {
        incarnation.target().commit("remove records", connection -> {
            CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), moved);
            return null;
        });
        return incarnation.source().commit("remove records", connection -> {
            CleanupRecords.removeSlot(connection, incarnation.moveId(), incarnation.token());
            CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), moved);
            return null;
        });
    }
}
