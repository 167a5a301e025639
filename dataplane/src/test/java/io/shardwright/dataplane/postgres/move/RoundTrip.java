package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.StepBoundary;

/** A move and its reversal, each driven by a mover of its own. */
final class RoundTrip implements AutoCloseable {
    final MoveTask task;
    final MoverDriver there;
    private MoverDriver back;

    RoundTrip(MoveTask task) {
        this(task, StepBoundary.NONE);
    }

    /** @param wayBack boundary of the reversal's mover */
    RoundTrip(MoveTask task, StepBoundary wayBack) {
        this.task = task;
        there = new MoverDriver(task);
        back = new MoverDriver(task.reversal(), wayBack);
    }

    MoverDriver back() {
        return back;
    }

    /** Another operator takes the reversal over. */
    MoverDriver nextBack() {
        back.close();
        back = new MoverDriver(task.reversal());
        return back;
    }

    /** All buckets are on the target, and can go back. */
    void go() {
        back.done(Command.FOLLOW);
        there.done(Command.PREPARE, Command.VERIFY);
        there.switchEach(task.scopes());
        there.done(Command.RETIRE);
    }

    /** All buckets are on the source again, and nothing is left of either move. */
    void comeBack() {
        back.done(Command.PREPARE, Command.VERIFY, Command.GATE);
        back.switchEach(task.scopes());
        back.done(Command.CLEAN_UP);
        there.done(Command.CLEAN_UP);
    }

    /** Nothing goes back any more. */
    void stay() {
        back.done(Command.ABORT);
        there.done(Command.CLEAN_UP);
    }

    /** Another mover of the reversal claims it; this one is not told. */
    void takeTheToken(MovePair pair) {
        pair.here.plant("UPDATE shardwright.move_progress SET token = 'successor' WHERE move_id = '"
                + task.reversal().moveId() + "'");
    }

    @Override
    public void close() {
        there.close();
        back.close();
    }
}
