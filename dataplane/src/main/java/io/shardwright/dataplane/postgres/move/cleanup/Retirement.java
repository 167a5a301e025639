package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;

/**
 * After the last activation the source's log has nothing more to bring: its slot goes, so that it keeps no log for a move that
 * only waits to be cleaned up.
 */
public final class Retirement {
    private final Incarnation incarnation;

    /** @param incarnation after its claim: a commit that the target's standbys have, behind all activations */
    public Retirement(Incarnation incarnation) {
        this.incarnation = incarnation;
    }

    public void run() throws MoverFault {
        new SlotRemoval(incarnation).run();
        incarnation.step(
                MoverStep.REMOVE_RECORDS,
                () -> incarnation.source().commit("remove the slot's record", connection -> {
                    CleanupRecords.removeSlot(connection, incarnation.moveId(), incarnation.token());
                    return null;
                }));
    }
}
