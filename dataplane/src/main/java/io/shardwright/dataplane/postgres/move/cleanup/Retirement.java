package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.Look;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.Standing;
import io.shardwright.routing.Scope;
import java.util.SortedSet;

/**
 * After the last activation the source's log has nothing more to bring: its slot goes, so that it keeps no log for a move that
 * only waits to be cleaned up.
 */
public final class Retirement {
    private final Incarnation incarnation;
    private final Look look;

    public Retirement(Incarnation incarnation, Look look) {
        this.incarnation = incarnation;
        this.look = look;
    }

    /** Its claim is a commit that the target's standbys have, behind all activations. A move that has ended gets no new trace. */
    public void run() throws MoverFault {
        refuseTooEarly(look.now());
        boolean ended = incarnation
                .target()
                .read("read the progress", connection -> ProgressRow.read(connection, incarnation))
                .isEmpty();
        if (!ended) {
            incarnation.takeOver();
            refuseTooEarly(look.now());
            removeSlot();
        }
    }

    private void refuseTooEarly(Truth truth) throws MoverFault {
        Standing standing = new Standing(incarnation.task(), truth);
        SortedSet<Scope> undecided = standing.waiting();
        undecided.removeAll(standing.decidedAgainst());
        if (!undecided.isEmpty()) {
            throw MoverFault.blocked(
                    Scope.words(undecided) + " are not on shard "
                            + incarnation.target().shard() + " yet, so their stream stays",
                    "nothing: they are switched, or the rest of the move is aborted");
        }
    }

    private void removeSlot() throws MoverFault {
        new SlotRemoval(incarnation).run();
        incarnation.step(
                MoverStep.REMOVE_RECORDS,
                () -> incarnation.source().commit("remove the slot's record", connection -> {
                    CleanupRecords.removeSlot(connection, incarnation.moveId(), incarnation.token());
                    return null;
                }));
    }
}
