package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.apply.StreamStart;
import io.shardwright.dataplane.postgres.move.copy.Preparation;
import io.shardwright.dataplane.postgres.move.copy.SnapshotCopy;
import io.shardwright.dataplane.postgres.move.switchover.DecisionAgainst;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Throttle;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.Look;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.Standing;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.postgresql.replication.LogSequenceNumber;

/** Brings the rows of a move of its own to the target: goes on where an earlier mover was, or copies them. */
final class Filling {
    private final Incarnation mover;
    private final MoveTask task;
    private final ReportBoard board;
    private final Look look;
    private final Throttle throttle;

    Filling(Incarnation mover, ReportBoard board, Look look, Throttle throttle) {
        this.mover = mover;
        this.throttle = throttle;
        this.board = board;
        this.look = look;
        task = mover.task();
    }

    /** @return empty when nothing is left to move */
    Optional<StreamStart> run() throws MoverFault {
        if (!worthPreparing(look.now())) {
            return Optional.empty();
        }
        ProgressRow progress = mover.takeOver();
        Truth truth = look.now();
        MovedTables tables = MovedTables.of(mover);
        Standing standing = new Standing(task, truth);
        SortedSet<Scope> importing = standing.waiting();
        boolean resumes =
                new TruthReader(mover).resumable(progress) && standing.begun().containsAll(importing);
        LogSequenceNumber from = resumes ? progress.position() : prepareAgain(tables, truth, importing);
        return Optional.of(new StreamStart(from, importing, tables));
    }

    /** Before anything is written: a move that has ended must leave no new trace. */
    private boolean worthPreparing(Truth truth) throws MoverFault {
        Standing standing = new Standing(task, truth);
        if (!standing.decidedAgainst().isEmpty()) {
            throw MoverFault.decidedAgainst(standing.decidedAgainst());
        }
        return !standing.waiting().isEmpty();
    }

    private LogSequenceNumber prepareAgain(MovedTables tables, Truth truth, SortedSet<Scope> importing)
            throws MoverFault {
        SortedMap<Scope, Long> owned = new TreeMap<>();
        for (Scope scope : importing) {
            FenceRow row = truth.source().get(scope);
            if (row != null && row.state() == FenceState.OWNED) {
                owned.put(scope, row.epoch());
            }
        }
        if (!owned.keySet().equals(importing)) {
            SortedSet<Scope> fenced = new TreeSet<>(importing);
            fenced.removeAll(owned.keySet());
            throw lostAfterFence(fenced);
        }
        throttle.begin();
        board.stage(Stage.COPYING);
        new Preparation(mover, tables, owned, throttle).run();
        return new SnapshotCopy(mover, tables, importing, board::progress, throttle).run();
    }

    /** The log position is gone and the source is fenced: it is complete and reopens at once. */
    private MoverFault lostAfterFence(SortedSet<Scope> fenced) throws MoverFault {
        SortedSet<Scope> against = new DecisionAgainst(mover, fenced).run();
        look.now();
        return against.isEmpty()
                ? MoverFault.blocked(
                        "buckets " + fenced + " are not owned by shard "
                                + mover.source().shard(),
                        "look at the fence rows of both shards")
                : MoverFault.decidedAgainst(against);
    }
}
