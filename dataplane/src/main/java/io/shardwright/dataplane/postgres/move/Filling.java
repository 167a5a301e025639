package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.apply.StreamStart;
import io.shardwright.dataplane.postgres.move.copy.Preparation;
import io.shardwright.dataplane.postgres.move.copy.SnapshotCopy;
import io.shardwright.dataplane.postgres.move.keys.KeyFold;
import io.shardwright.dataplane.postgres.move.keys.KeySplit;
import io.shardwright.dataplane.postgres.move.switchover.DecisionAgainst;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Throttle;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.KeyRows;
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
        Standing standing = new Standing(task, truth);
        SortedSet<Scope> importing = standing.waiting();
        boolean resumes =
                new TruthReader(mover).resumable(progress) && standing.begun().containsAll(importing);
        return Optional.of(
                resumes
                        ? new StreamStart(progress.position(), importing, MovedTables.of(mover))
                        : prepareAgain(truth, importing));
    }

    /** Before anything is written: a move that has ended must leave no new trace. */
    private boolean worthPreparing(Truth truth) throws MoverFault {
        Standing standing = new Standing(task, truth);
        if (!standing.decidedAgainst().isEmpty()) {
            throw MoverFault.decidedAgainst(standing.decidedAgainst());
        }
        return !standing.waiting().isEmpty();
    }

    private StreamStart prepareAgain(Truth truth, SortedSet<Scope> importing) throws MoverFault {
        owned(truth, importing);
        throttle.begin();
        board.stage(Stage.COPYING);
        Preparation preparation = new Preparation(mover, importing, throttle);
        preparation.enter();
        SortedMap<Scope, Long> owned = owned(split(importing), importing);
        MovedTables tables = MovedTables.of(mover);
        preparation.run(tables, owned);
        return new StreamStart(
                new SnapshotCopy(mover, tables, importing, board::progress, throttle).run(), importing, tables);
    }

    /** Keys get rows of their own; a bucket takes those of its keys along that have one here for no reason. @return what is there now */
    private Truth split(SortedSet<Scope> importing) throws MoverFault {
        if (task.ofKeys()) {
            new KeySplit(mover, board::keyHold).run(importing);
        } else {
            SortedSet<Integer> buckets = Scope.bucketsOf(importing);
            SortedSet<Scope> apart = new TreeSet<>(mover.source()
                    .read("read rows of keys", connection -> KeyRows.ofBuckets(connection, buckets))
                    .keySet());
            mover
                    .target()
                    .read("read rows of keys", connection -> KeyRows.ofBuckets(connection, buckets))
                    .values()
                    .stream()
                    .filter(row -> row.state() == FenceState.OWNED)
                    .forEach(row -> apart.remove(row.scope())); // of two owners the rows tell which is older
            new KeyFold(mover, mover.source(), board::keyHold).run(apart);
        }
        return look.now();
    }

    /** With their epochs. @throws MoverFault when the source does not own all of them any more */
    private SortedMap<Scope, Long> owned(Truth truth, SortedSet<Scope> importing) throws MoverFault {
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
        return owned;
    }

    /** The log position is gone and the source is fenced: it is complete and reopens at once. */
    private MoverFault lostAfterFence(SortedSet<Scope> fenced) throws MoverFault {
        SortedSet<Scope> against = new DecisionAgainst(mover, fenced).run();
        look.now();
        return against.isEmpty()
                ? MoverFault.blocked(
                        Scope.words(fenced) + " are not owned by shard "
                                + mover.source().shard(),
                        "look at the fence rows of both shards")
                : MoverFault.decidedAgainst(against);
    }
}
