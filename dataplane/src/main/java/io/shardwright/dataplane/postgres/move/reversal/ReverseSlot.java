package io.shardwright.dataplane.postgres.move.reversal;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.postgres.move.cleanup.SlotRemoval;
import io.shardwright.dataplane.postgres.move.copy.SnapshotSlot;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import java.util.Collections;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Opens the way back: a slot on its source from before the first fence of the move on, so that no change is missed once the
 * source writes. Nothing is copied: the target has the rows, it still owns them. Every part may be done again.
 */
public final class ReverseSlot {
    private final Incarnation incarnation;

    public ReverseSlot(Incarnation incarnation) {
        this.incarnation = incarnation;
    }

    /** @return where the stream begins */
    public LogSequenceNumber open() throws MoverFault {
        incarnation.target().commit("forget the position", connection -> {
            ProgressRow.forgetPosition(connection, incarnation);
            return null;
        });
        incarnation.step(MoverStep.RECORD_CLEANUP, this::record);
        new SlotRemoval(incarnation).run();
        String servers = new TruthReader(incarnation).servers();
        LogSequenceNumber start = create();
        refuseLate();
        incarnation.step(
                MoverStep.OPEN_WAY_BACK,
                () -> incarnation.target().commit("write the progress row", connection -> {
                    ProgressRow.write(connection, incarnation, start, true, servers);
                    return null;
                }));
        return start;
    }

    private Void record() throws MoverFault {
        return incarnation.source().commit("write cleanup records", connection -> {
            SourceClaim.lock(connection, incarnation.moveId(), incarnation.token());
            CleanupRecords.recordSlot(connection, incarnation.moveId(), incarnation.token(), incarnation.slot());
            return null;
        });
    }

    private LogSequenceNumber create() throws MoverFault {
        try (SnapshotSlot slot = incarnation.step(MoverStep.CREATE_SLOT, () -> SnapshotSlot.create(incarnation))) {
            return slot.consistentPoint();
        }
    }

    /** Read behind the slot: a fence that is not there now will be activated where the slot sees it. What is late goes again. */
    private void refuseLate() throws MoverFault {
        if (new WayBack(incarnation.task(), new TruthReader(incarnation).read()).needed()) {
            new TakingDown(incarnation, Collections.emptySortedSet()).run(Collections.emptySortedSet());
            throw WayBack.lost(
                    incarnation.task(), Kind.POSITION_LOST, "buckets were fenced while the slot was being made");
        }
    }
}
