package io.shardwright.planning.model;

import io.shardwright.planning.model.FailoverState.Commit;
import io.shardwright.planning.model.FailoverState.Mover;
import io.shardwright.planning.model.FailoverState.Slot;
import io.shardwright.planning.model.FailoverState.SourceFence;
import io.shardwright.planning.model.FailoverState.TargetFence;
import io.shardwright.planning.model.FailoverState.Writer;
import io.shardwright.planning.model.FailoverState.Writes;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One bucket, S and T with a synchronous standby each. A server is a log of commits with a replicated prefix, which is what
 * a failover keeps, and a visible prefix: a commit is visible when it is replicated, or when its wait was cancelled. The
 * logical stream delivers what is in the log, replicated or not. One failover of each side, one cancelled wait, and one
 * takeover: mover 0 becomes mover 1, a zombie that goes on with its local state and its old token.
 *
 * <p>A reversal is the same with the sides swapped, from the time on when S follows: T is the source, S the target. Its own
 * are the step that begins it, in place of preparation and copy, and the tombstone at the end of its abort.
 *
 * <p>In a scope of its own S stops to take writes for a while: {@link FailoverResync}.
 */
final class FailoverModel implements Model {
    private final Scope scope;
    private final FailoverMutant mutant;
    private final String[] side;

    FailoverModel(FailoverMutant mutant, int writers, int writes) {
        this(new Scope(mutant, writers, writes, false, true, false));
    }

    private FailoverModel(Scope scope) {
        this.scope = scope;
        this.mutant = scope.mutant;
        this.side = scope.reversal ? new String[] {"T", "S"} : new String[] {"S", "T"};
    }

    /**
     * @param reversal the bucket goes back: T is the source, S is the target that has its rows and follows
     * @param preparationWaits the commit of the row IMPORTING is awaited
     * @param readOnly the source stops to take writes for a while; another server takes them
     */
    record Scope(
            FailoverMutant mutant,
            int writers,
            int writes,
            boolean reversal,
            boolean preparationWaits,
            boolean readOnly) {}

    /** The target's standby is asynchronous while the move is prepared, so that a failover can lose the row IMPORTING. */
    FailoverModel withPreparationThatCanBeLost() {
        return new FailoverModel(new Scope(mutant, scope.writers, scope.writes, scope.reversal, false, false));
    }

    FailoverModel ofTheReversal() {
        return new FailoverModel(new Scope(mutant, scope.writers, scope.writes, true, scope.preparationWaits, false));
    }

    FailoverModel withSourceThatStopsToTakeWrites() {
        return new FailoverModel(new Scope(mutant, scope.writers, scope.writes, false, true, true));
    }

    @Override
    public int width() {
        return 3;
    }

    @Override
    public long[] initial() {
        FailoverState s = new FailoverState();
        if (scope.reversal) {
            s.reversal = true;
            s.appendToSource(FailoverState.ACTIVATED); // read by all, and not on the standby: its wait was cancelled
            s.visible = 1;
            s.all.fence = TargetFence.FOLLOWING;
            s.all.token = 1;
            s.all.position = 0;
            s.replicate(1);
            s.slot = Slot.OK;
            s.token[0] = 1;
            s.mover[0] = Mover.STREAM;
        }
        return s.packed();
    }

    @Override
    public Optional<String> violation(long[] words) {
        FailoverState s = FailoverState.of(words);
        boolean source = s.sourceOwns();
        boolean target = s.seen.fence == TargetFence.OWNED_2;
        if (source && target) {
            return Optional.of("TWO OWNERS (I1)");
        }
        if (source && (s.acknowledged & ~s.sourceRows(s.visible)) != 0) {
            return Optional.of("LOST WRITE (I2): " + side[0] + " owns");
        }
        return target && (s.acknowledged & ~s.seen.rows) != 0
                ? Optional.of("LOST WRITE (I2): " + side[1] + " owns")
                : Optional.empty();
    }

    @Override
    public List<Goal> goals() {
        Goal owner = new Goal("an owner", words -> {
            FailoverState s = FailoverState.of(words);
            return s.sourceOwns() || s.seen.fence == TargetFence.OWNED_2 || leftToTheWayThere(s);
        });
        Goal end = new Goal("an end", words -> {
            FailoverState s = FailoverState.of(words);
            return s.ended || s.seen.fence == TargetFence.OWNED_2 || s.seen.fence == TargetFence.FOLLOWING;
        });
        return scope.reversal ? List.of(owner, end) : List.of(owner);
    }

    /** T has lost its activation and no reversal has begun: the row MOVED, IMPORTING of 4.4 decides. */
    private static boolean leftToTheWayThere(FailoverState s) {
        return s.source(s.visible) == SourceFence.UNACTIVATED && s.seen.fence == TargetFence.FOLLOWING;
    }

    @Override
    public void steps(long[] words, Steps steps) {
        FailoverState now = FailoverState.of(words);
        Step step = new Step(words, steps);
        servers(now, step);
        for (int i = 0; i < scope.writers; i++) {
            writer(now, i, step);
        }
        takeover(now, step);
        readOnly(now, step);
        for (int i = 0; i < 2; i++) {
            new FailoverMover(scope, now, i, step).steps();
        }
        abort(now, step);
        cleanUp(now, step);
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
        for (int i = 0; i < 2; i++) {
            int at = i;
            if (behind[i]) {
                step.take("the standby of " + side[i] + " has all", s -> s.replicate(at));
            }
            if (waiting[i] && !now.cancelled) {
                step.take("a wait on " + side[i] + " is cancelled", s -> {
                    s.cancelWait(at);
                    s.cancelled = true;
                });
            }
            if (!now.failedOver[i]) {
                step.take("FAILOVER of " + side[i], at == 0 ? this::failoverOfSource : this::failoverOfTarget);
            }
        }
    }

    private void readOnly(FailoverState now, Step step) {
        if (scope.readOnly && now.writes == Writes.TAKEN) {
            step.take(side[0] + " takes no writes", s -> s.writes = Writes.REFUSED);
        } else if (now.refusesWrites()) {
            step.take(side[0] + " takes writes again", s -> s.writes = Writes.TAKEN_AGAIN);
        }
    }

    private void failoverOfSource(FailoverState s) {
        s.writes = s.refusesWrites() ? Writes.TAKEN_AGAIN : s.writes;
        endResyncs(s);
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

    private void failoverOfTarget(FailoverState s) {
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
        if (scope.mutant != FailoverMutant.RESYNCREOPENED) {
            endResyncs(s);
        }
    }

    /** It has a snapshot of the one server and a session on the other from its beginning to its end. */
    private static void endResyncs(FailoverState s) {
        for (int i = 0; i < 2; i++) {
            if (s.resyncs(i)) {
                FailoverMover.clear(s, i, i == 0 ? Mover.IDLE : Mover.NONE);
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
        int on = now.writerSide[i];
        int id = now.writerId[i];
        switch (now.writer[i]) {
            case IDLE -> {
                boolean[] open = {!now.sourceLocked && now.sourceOwns(), now.seen.fence == TargetFence.OWNED_2};
                for (int d = 0; d < 2; d++) {
                    int at = d;
                    if (open[d] && now.begun < scope.writes) {
                        step.take("writer " + i + " enters " + side[d], s -> {
                            s.writer[i] = Writer.ENTERED;
                            s.writerSide[i] = at;
                            s.writerId[i] = s.begun;
                            s.begun++;
                        });
                    }
                }
            }
            case ENTERED -> {
                if (on == 0 && now.refusesWrites()) {
                    step.take("writer " + i + " is told that " + side[on] + " takes no writes", s -> s.idle(i));
                    return;
                }
                step.take("writer " + i + " commits " + id + " on " + side[on] + " (local)", s -> {
                    s.writer[i] = Writer.COMMITTED;
                    if (on == 0) {
                        s.appendToSource(id);
                    } else {
                        FailoverMover.append(s, content -> content.rows |= 1 << id);
                    }
                });
            }
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
        if (target == TargetFence.IMPORTING && now.all.fence == TargetFence.IMPORTING && !now.refusesWrites()) {
            step.take("abort: ABORTED on " + side[1] + " (local)", abort);
        }
        TargetFence before = scope.reversal ? TargetFence.FOLLOWING : TargetFence.NONE;
        boolean lost = target == before && source == SourceFence.MOVED_2 && !now.pending;
        if (lost && mutant != FailoverMutant.NOABSENT && !now.refusesWrites()) {
            step.take("abort: " + side[1] + " has lost IMPORTING, ABORTED there (local)", abort);
        }
        if (now.onStandby.fence == TargetFence.TOMBSTONE && !now.ended) {
            step.take("abort: terminal", s -> s.ended = true);
        }
        if (target != TargetFence.ABORTED || now.ended) {
            return;
        }
        boolean durable = now.onStandby.fence == TargetFence.ABORTED || mutant == FailoverMutant.ABORTLOCAL;
        boolean unbumped = source == SourceFence.OWNED_1 && !now.sourceLocked;
        boolean decided = durable && !now.sourceFencePending() && !now.refusesWrites();
        if (decided && (source == SourceFence.MOVED_2 || unbumped)) {
            if (unbumped && mutant == FailoverMutant.NOCLAIM) {
                step.take("abort: terminal, the epoch as it was", s -> s.ended = true);
            } else {
                step.take(
                        "abort: " + side[0] + " owns with a higher epoch (local)",
                        s -> s.appendToSource(FailoverState.RECLAIMED));
            }
        }
        boolean reclaimed =
                now.source(now.replicated) == SourceFence.OWNED_3 || mutant == FailoverMutant.TOMBSTONELOCAL;
        if (source != SourceFence.OWNED_3 || !reclaimed) {
            return;
        }
        if (!scope.reversal) {
            step.take("abort: terminal", s -> s.ended = true);
        } else if (now.all.fence == TargetFence.ABORTED) {
            step.take("abort: S is a tombstone again (local)", s -> {
                FailoverMover.append(s, content -> content.fence = TargetFence.TOMBSTONE);
                s.pendingFence = true;
            });
        }
    }

    /** Rows of the old owner go when the activation of the new one is on its standby. */
    private void cleanUp(FailoverState now, Step step) {
        boolean activated = now.seen.fence == TargetFence.OWNED_2 && now.source(now.visible) == SourceFence.MOVED_2;
        boolean durable = now.onStandby.fence == TargetFence.OWNED_2 || mutant == FailoverMutant.CLEANUPLOCAL;
        if (activated && durable && !now.refusesWrites() && now.log[now.log.length - 1] != FailoverState.DELETED) {
            step.take("cleanup deletes the rows on " + side[0], s -> s.appendToSource(FailoverState.DELETED));
        }
    }
}
