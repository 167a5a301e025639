package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.postgres.move.cleanup.RowDeletion;
import io.shardwright.dataplane.postgres.move.copy.SnapshotCopy;
import io.shardwright.dataplane.postgres.move.switchover.FencedSnapshot;
import io.shardwright.dataplane.postgres.move.switchover.StillActivation;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.FencePairs;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.Look;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.verify.StillVerification;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The way out where the source is fenced and takes no writes. The stream cannot go on, because whoever takes it over claims the
 * source and confirms its fence; and an abort could not give the buckets back. But the source is still, and can be read: its rows
 * are copied once more from behind the fence, compared, and activated by the compare-and-swap that any decision is made by.
 *
 * <p>A source that takes writes again has its buckets back in milliseconds, or the stream goes on. So it is asked first, and again
 * all through the copy. No throttle brakes it: nobody can write these buckets before it ends.
 */
final class Resync {
    private static final long ASK_AGAIN_NANOS = 1_000_000_000L;

    private final Incarnation mover;
    private final ReportBoard board;
    private final Look look;
    private final Brake source = this::endWhenItTakesWritesAgain;
    private long asked;

    Resync(Incarnation mover, ReportBoard board, Look look) {
        this.mover = mover;
        this.board = board;
        this.look = look;
    }

    /** @return the activation of all that was fenced */
    Switch run() throws MoverFault {
        long began = System.nanoTime();
        SortedMap<Scope, Long> fenced = fenced(look.now());
        if (fenced.isEmpty()) {
            throw MoverFault.blocked(
                    "no bucket of the move is between its fence and its activation",
                    "nothing: what the fence rows of both shards say is done");
        }
        if (mover.takeOverTarget()) {
            throw takesWritesAgain();
        }
        asked = System.nanoTime() - ASK_AGAIN_NANOS; // the first piece of work asks, too
        MovedTables tables = MovedTables.of(mover);
        try (FencedSnapshot snapshot =
                mover.step(MoverStep.READ_BEHIND_FENCE, () -> FencedSnapshot.take(mover, fenced))) {
            mover.step(MoverStep.FORGET_COPY, this::forgetPosition);
            fill(snapshot, tables, fenced);
            compare(snapshot, tables, fenced);
            SortedMap<Scope, Long> epochs = new StillActivation(mover, snapshot, tables.overrides()).run();
            double milliseconds = (System.nanoTime() - began) / 1e6;
            return new Switch(epochs, true, 0, milliseconds, Map.of("apply", milliseconds), List.of());
        }
    }

    /** With their epochs before the fence. */
    private SortedMap<Scope, Long> fenced(Truth truth) {
        UUID move = mover.moveId();
        SortedMap<Scope, Long> fenced = new TreeMap<>();
        new FencePairs(mover.task(), truth)
                .those((source, target) -> FencePairs.is(source, FenceState.MOVED, move)
                        && FencePairs.is(target, FenceState.IMPORTING, move)
                        && source.epoch() == target.epoch() + 1)
                .forEach(scope -> fenced.put(scope, truth.target().get(scope).epoch()));
        return fenced;
    }

    /** Half of this copy would be taken for the whole of the first, by whoever resumed the stream. */
    private Void forgetPosition() throws MoverFault {
        return mover.target().commit("forget the position", connection -> {
            ProgressRow.forgetPosition(connection, mover);
            return null;
        });
    }

    private void fill(FencedSnapshot snapshot, MovedTables tables, SortedMap<Scope, Long> fenced) throws MoverFault {
        board.stage(Stage.COPYING);
        TreeMap<Scope, Long> scopes = new TreeMap<>(fenced);
        new RowDeletion(mover, mover.target(), scopes.navigableKeySet(), row -> importing(row, fenced), source)
                .run(MoverStep.DELETE_LEFTOVERS, tables);
        new SnapshotCopy(mover, tables, scopes.navigableKeySet(), board::progress, source).from(snapshot.connection());
    }

    private boolean importing(FenceRow row, SortedMap<Scope, Long> fenced) {
        return FencePairs.is(row, FenceState.IMPORTING, mover.moveId()) && row.epoch() == fenced.get(row.scope());
    }

    private void compare(FencedSnapshot snapshot, MovedTables tables, SortedMap<Scope, Long> fenced) throws MoverFault {
        StillVerification verification = new StillVerification(mover, tables, fenced.keySet());
        try {
            verification.run(snapshot.connection());
        } finally {
            board.verification(verification.result());
        }
    }

    private void endWhenItTakesWritesAgain() throws MoverFault {
        if (System.nanoTime() - asked < ASK_AGAIN_NANOS) {
            return;
        }
        asked = System.nanoTime();
        if (mover.sourceTakesWrites()) {
            throw takesWritesAgain();
        }
    }

    private MoverFault takesWritesAgain() {
        return MoverFault.blocked(
                "shard " + mover.source().shard()
                        + " takes writes again, so its fenced buckets are not copied once more",
                "nothing: they are activated by the stream, or given back when its position is lost");
    }
}
