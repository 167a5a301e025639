package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.postgres.move.reversal.Reversal;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.Look;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;

/**
 * What the end of a stream, or of a comparison, means. Where the target does not have what the source has, no mover may go on
 * from it: the next preparation copies anew, and a reversal, which cannot, is lost, and its progress row says why. It judges for
 * one incarnation, by its token: what a stream says whose mover has a successor changes nothing.
 */
final class Judgement {
    private final Incarnation incarnation;
    private final Look look;
    private MoverFault judged;
    private MoverFault verdict;

    /** @param look of the same incarnation */
    Judgement(Incarnation incarnation, Look look) {
        this.incarnation = incarnation;
        this.look = look;
    }

    /** The rows on the target cannot be relied on, or the log has a shape of a table that no stream can get past. */
    boolean distrusts(MoverFault fault) {
        return fault.kind() == Kind.DIVERGED || fault.kind() == Kind.SCHEMA_CHANGED;
    }

    /**
     * A command that waits and the stream itself end by the same fault: whoever comes second is told the same.
     *
     * @return the fault as it is to be told. When the position cannot be forgotten, whoever goes on finds the same again
     */
    synchronized MoverFault of(MoverFault fault) {
        if (fault != judged) {
            judged = fault;
            verdict = distrusts(fault) ? judge(fault) : fault;
        }
        return verdict;
    }

    private MoverFault judge(MoverFault fault) {
        try {
            incarnation.target().commit("forget the position", connection -> {
                if (isReversal() && fault.kind() == Kind.DIVERGED) {
                    ProgressRow.distrust(connection, incarnation, fault.getMessage());
                } else {
                    ProgressRow.forgetPosition(connection, incarnation);
                }
                return null;
            });
            return isReversal() ? Reversal.judged(incarnation.task(), fault, look.now()) : fault;
        } catch (MoverFault unforgotten) {
            return unforgotten;
        }
    }

    private boolean isReversal() {
        return incarnation.task().reversalOf().isPresent();
    }
}
