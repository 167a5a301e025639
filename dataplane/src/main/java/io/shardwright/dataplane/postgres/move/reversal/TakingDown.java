package io.shardwright.dataplane.postgres.move.reversal;

import io.shardwright.dataplane.postgres.move.cleanup.SlotRemoval;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
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
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The end of a way back that is not gone, or not to its end: slot and records go, and where it was decided against, the target
 * gets the tombstone of the move again, with the rows behind it as they are, for that move to clean up. Buckets that went back
 * keep their records; they are cleaned up by a normal end.
 */
public final class TakingDown {
    private final Incarnation incarnation;
    private final SortedSet<Scope> takenBack;

    /** @param takenBack buckets that the target owns through this reversal */
    public TakingDown(Incarnation incarnation, SortedSet<Scope> takenBack) {
        this.incarnation = incarnation;
        this.takenBack = takenBack;
    }

    /**
     * The tombstones come last: as long as ABORTED stands there, whoever looks knows that this is not finished.
     *
     * @param against buckets whose source is the owner again, durably
     */
    public void run(SortedSet<Scope> against) throws MoverFault {
        new SlotRemoval(incarnation).run();
        SortedSet<Scope> rest = new TreeSet<>(incarnation.task().scopes());
        rest.removeAll(takenBack);
        incarnation.step(
                MoverStep.REMOVE_RECORDS,
                () -> incarnation.source().commit("remove records", connection -> {
                    CleanupRecords.removeSlot(connection, incarnation.moveId(), incarnation.token());
                    CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), rest);
                    return null;
                }));
        if (!against.isEmpty()) {
            restoreTombstones(against);
        }
        incarnation.forget();
    }

    private void restoreTombstones(SortedSet<Scope> against) throws MoverFault {
        SortedMap<Scope, FenceRow> owners =
                incarnation.source().read("read the fence", connection -> FenceRows.read(connection, against));
        incarnation.step(
                MoverStep.RESTORE_TOMBSTONE,
                () -> incarnation
                        .target()
                        .commit("restore tombstones", connection -> restore(connection, against, owners)));
    }

    private Void restore(Connection connection, SortedSet<Scope> against, SortedMap<Scope, FenceRow> owners)
            throws SQLException, MoverFault {
        ProgressRow.lock(connection, incarnation);
        UUID move = incarnation.task().reversalOf().orElseThrow();
        for (FenceRow seen : FenceRows.read(connection, against).values()) {
            FenceRow owner = owners.get(seen.scope());
            if (owner == null || owner.state() != FenceState.OWNED || owner.epoch() <= seen.epoch()) {
                throw MoverFault.blocked(
                        seen.scope().words() + " is not owned by shard "
                                + incarnation.source().shard() + " again, but " + owner,
                        "nothing: the fence rows are read again, and what they say is done");
            }
            FenceRow tombstone = new FenceRow(
                    seen.scope(),
                    FenceState.MOVED,
                    owner.epoch(),
                    incarnation.source().shard(),
                    move);
            boolean aborted =
                    seen.state() == FenceState.ABORTED && incarnation.moveId().equals(seen.moveId());
            if (!aborted || !FenceRows.swap(connection, seen, tombstone)) {
                throw MoverFault.blocked(
                        "shard " + incarnation.target().shard() + ": the fence of "
                                + seen.scope().words() + " changed at the same moment",
                        "nothing: it is read and tried again");
            }
        }
        return null;
    }
}
