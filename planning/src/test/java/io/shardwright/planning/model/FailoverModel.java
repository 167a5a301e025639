package io.shardwright.planning.model;

import io.shardwright.planning.model.FailoverState.Commit;
import io.shardwright.planning.model.FailoverState.Mover;
import io.shardwright.planning.model.FailoverState.Slot;
import io.shardwright.planning.model.FailoverState.SourceFence;
import io.shardwright.planning.model.FailoverState.TargetFence;
import io.shardwright.planning.model.FailoverState.Writer;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One bucket, S and T with a synchronous standby each. A server is a log of commits with a replicated prefix, which is what
 * a failover keeps, and a visible prefix: a commit is visible when it is replicated, or when its wait was cancelled. The
 * logical stream delivers what is in the log, replicated or not. One failover of each side, one cancelled wait, and one
 * takeover: mover 0 becomes mover 1, a zombie that goes on with its local state and its old token.
 */
final class FailoverModel implements Model {
    private static final String[] SIDE = {"S", "T"};

    private final FailoverMutant mutant;
    private final int writers;
    private final int writes;
    private final boolean preparationWaits;

    FailoverModel(FailoverMutant mutant, int writers, int writes) {
        this(mutant, writers, writes, true);
    }

    private FailoverModel(FailoverMutant mutant, int writers, int writes, boolean preparationWaits) {
        this.mutant = mutant;
        this.writers = writers;
        this.writes = writes;
        this.preparationWaits = preparationWaits;
    }

    /** T's standby is asynchronous while the move is prepared, so that a failover can lose the row IMPORTING. */
    FailoverModel withPreparationThatCanBeLost() {
        return new FailoverModel(mutant, writers, writes, false);
    }

    @Override
    public int width() {
        return 3;
    }

    @Override
    public long[] initial() {
        return new FailoverState().packed();
    }

    @Override
    public Optional<String> violation(long[] words) {
        FailoverState s = FailoverState.of(words);
        boolean source = s.source(s.visible) != SourceFence.MOVED_2;
        boolean target = s.seen.fence == TargetFence.OWNED_2;
        if (source && target) {
            return Optional.of("TWO OWNERS (I1)");
        }
        if (source && (s.acknowledged & ~s.sourceRows(s.visible)) != 0) {
            return Optional.of("LOST WRITE (I2): S owns");
        }
        return target && (s.acknowledged & ~s.seen.rows) != 0
                ? Optional.of("LOST WRITE (I2): T owns")
                : Optional.empty();
    }

    @Override
    public List<Goal> goals() {
        return List.of(new Goal("an owner", words -> {
            FailoverState s = FailoverState.of(words);
            return s.source(s.visible) != SourceFence.MOVED_2 || s.seen.fence == TargetFence.OWNED_2;
        }));
    }

    @Override
    public void steps(long[] words, Steps steps) {
        FailoverState now = FailoverState.of(words);
        Step step = new Step(words, steps);
        servers(now, step);
        for (int i = 0; i < writers; i++) {
            writer(now, i, step);
        }
        takeover(now, step);
        for (int i = 0; i < 2; i++) {
            new FailoverMover(mutant, preparationWaits, now, i, step).steps();
        }
        abort(now, step);
    }

    /** Takes a step on a fresh copy of the state. */
    record Step(long[] words, Steps steps) {
        void take(String label, Consumer<FailoverState> change) {
            FailoverState next = FailoverState.of(words);
            change.accept(next);
            steps.add(label, next.packed());
        }
    }

    private void servers(FailoverState now, Step step) {
        boolean[] behind = {now.replicated < now.log.length, now.standbyBehind};
        boolean[] waiting = {now.sourcePending(), now.pending};
        for (int side = 0; side < 2; side++) {
            int at = side;
            if (behind[side]) {
                step.take("the standby of " + SIDE[side] + " has all", s -> s.replicate(at));
            }
            if (waiting[side] && !now.cancelled) {
                step.take("a wait on " + SIDE[side] + " is cancelled", s -> {
                    s.cancelWait(at);
                    s.cancelled = true;
                });
            }
            if (!now.failedOver[side]) {
                step.take(
                        "FAILOVER of " + SIDE[side],
                        at == 0 ? this::failoverOfSource : FailoverModel::failoverOfTarget);
            }
        }
    }

    private void failoverOfSource(FailoverState s) {
        s.log = java.util.Arrays.copyOf(s.log, s.replicated);
        s.visible = s.replicated;
        s.sourceLocked = false;
        s.failedOver[0] = true;
        endWriters(s, 0);
        for (int i = 0; i < 2; i++) {
            boolean open = s.mover[i] == Mover.DRAINED
                    || s.mover[i] == Mover.FENCING
                    || (s.mover[i] == Mover.UNSURE && s.moverCommit[i] != Commit.REPLICATED);
            if (open) {
                s.at(i, Mover.LOST);
            }
        }
        if (s.slot != Slot.NONE && mutant != FailoverMutant.SLOTKEPT) {
            s.slot = Slot.LOST;
            s.confirmed = 0;
        }
    }

    private static void failoverOfTarget(FailoverState s) {
        s.all = s.onStandby.copy();
        s.seen = s.onStandby.copy();
        s.standbyBehind = false;
        s.pending = false;
        s.pendingFence = false;
        s.pendingToken = false;
        s.failedOver[1] = true;
        endWriters(s, 1);
        for (int i = 0; i < 2; i++) {
            if (s.mover[i] == Mover.ACTIVATING) {
                s.at(i, Mover.STREAM);
            }
        }
    }

    private static void endWriters(FailoverState s, int side) {
        for (int i = 0; i < 2; i++) {
            if (s.writer[i] != Writer.IDLE && s.writerSide[i] == side) {
                s.idle(i);
            }
        }
    }

    private void writer(FailoverState now, int i, Step step) {
        int side = now.writerSide[i];
        int id = now.writerId[i];
        switch (now.writer[i]) {
            case IDLE -> {
                boolean[] open = {
                    !now.sourceLocked && now.source(now.visible) != SourceFence.MOVED_2,
                    now.seen.fence == TargetFence.OWNED_2
                };
                for (int d = 0; d < 2; d++) {
                    int at = d;
                    if (open[d] && now.begun < writes) {
                        step.take("writer " + i + " enters " + SIDE[d], s -> {
                            s.writer[i] = Writer.ENTERED;
                            s.writerSide[i] = at;
                            s.writerId[i] = s.begun;
                            s.begun++;
                        });
                    }
                }
            }
            case ENTERED ->
                step.take("writer " + i + " commits " + id + " on " + SIDE[side] + " (local)", s -> {
                    s.writer[i] = Writer.COMMITTED;
                    if (side == 0) {
                        s.appendToSource(id);
                    } else {
                        FailoverMover.append(s, content -> content.rows |= 1 << id);
                    }
                });
            case COMMITTED -> {
                if (now.writerCommit[i] == Commit.REPLICATED) {
                    step.take("writer " + i + " is acknowledged " + id, s -> {
                        s.acknowledged |= 1 << id;
                        s.idle(i);
                    });
                } else if (now.writerCommit[i] == Commit.VISIBLE) {
                    step.take("writer " + i + " gets a warning, not acknowledged", s -> s.idle(i));
                }
            }
        }
    }

    private static void takeover(FailoverState now, Step step) {
        if (!now.takenOver && now.mover[0] != Mover.IDLE && now.mover[1] == Mover.NONE) {
            step.take("TAKEOVER: mover 0 is frozen and becomes the zombie", s -> {
                s.mover[1] = s.mover[0];
                s.token[1] = s.token[0];
                s.read[1] = s.read[0];
                s.moverCommit[1] = s.moverCommit[0];
                FailoverMover.clear(s, 0, Mover.IDLE);
                s.takenOver = true;
            });
        }
    }

    /** The compare-and-swap on FT, then the source with a higher epoch in any case, then terminal. */
    private void abort(FailoverState now, Step step) {
        SourceFence source = now.source(now.visible);
        TargetFence target = now.seen.fence;
        Consumer<FailoverState> abort = s -> {
            FailoverMover.append(s, content -> content.fence = TargetFence.ABORTED);
            s.pendingFence = true;
        };
        if (target == TargetFence.IMPORTING && now.all.fence == TargetFence.IMPORTING) {
            step.take("abort: FT to ABORTED (local)", abort);
        }
        boolean lost = target == TargetFence.NONE && source == SourceFence.MOVED_2 && !now.pending;
        if (lost && mutant != FailoverMutant.NOABSENT) {
            step.take("abort: FT has lost IMPORTING, writes ABORTED (local)", abort);
        }
        if (target != TargetFence.ABORTED || now.ended) {
            return;
        }
        boolean durable = now.onStandby.fence == TargetFence.ABORTED || mutant == FailoverMutant.ABORTLOCAL;
        boolean unbumped = source == SourceFence.OWNED_1 && !now.sourceLocked;
        if (durable && !now.sourceFencePending() && (source == SourceFence.MOVED_2 || unbumped)) {
            if (unbumped && mutant == FailoverMutant.NOCLAIM) {
                step.take("abort: terminal, S as it was", s -> s.ended = true);
            } else {
                step.take("abort: S owns with epoch e+2 (local)", s -> s.appendToSource(FailoverState.RECLAIMED));
            }
        }
        if (source == SourceFence.OWNED_3 && now.source(now.replicated) == SourceFence.OWNED_3) {
            step.take("abort: terminal", s -> s.ended = true);
        }
    }
}
