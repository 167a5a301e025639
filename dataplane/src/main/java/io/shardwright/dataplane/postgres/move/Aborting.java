package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.cleanup.Abort;
import io.shardwright.dataplane.postgres.move.switchover.DecisionAgainst;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.Look;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.Standing;
import io.shardwright.routing.Scope;
import java.util.SortedSet;

/** Decides against whatever has not moved, of a move of its own, and cleans up after it. */
final class Aborting {
    private final Incarnation mover;
    private final MoveTask task;
    private final ReportBoard board;
    private final Look look;

    Aborting(Incarnation mover, ReportBoard board, Look look) {
        this.mover = mover;
        this.board = board;
        this.look = look;
        task = mover.task();
    }

    void run() throws MoverFault {
        refuseWhenAllMoved(look.now());
        mover.takeOver();
        SortedSet<Scope> waiting = new Standing(task, look.now()).waiting();
        SortedSet<Scope> against = new DecisionAgainst(mover, waiting).run();
        Truth truth = look.now();
        refuseWhenAllMoved(truth);
        new Abort(mover, board::keyHold).run(against, new Standing(task, truth).activated());
        look.now();
    }

    private void refuseWhenAllMoved(Truth truth) throws MoverFault {
        if (new Standing(task, truth).waiting().isEmpty()) {
            throw new MoverFault(
                    Failure.Kind.OTHER,
                    false,
                    "all buckets have been moved to shard " + task.target().shard() + " already",
                    "reverse the move, or after its cleanup move them back with another one",
                    null);
        }
    }
}
