package io.shardwright.planning.model;

import io.shardwright.planning.model.FailoverState.Mover;
import io.shardwright.planning.model.FailoverState.SourceFence;
import io.shardwright.planning.model.FailoverState.TargetFence;

/**
 * The steps of one mover in {@link FailoverModel} that finds S fenced and without writes. It has a snapshot of S and a session on T from
 * its beginning to its end, so a failover of either side ends it.
 */
final class FailoverResync {
    private final FailoverMutant mutant;
    private final FailoverState now;
    private final int i;
    private final FailoverModel.Step step;
    private final String who;

    FailoverResync(FailoverMutant mutant, FailoverState now, int i, FailoverModel.Step step) {
        this.mutant = mutant;
        this.now = now;
        this.i = i;
        this.step = step;
        who = (i == 0 ? "mover" : "zombie") + " re-sync: ";
    }

    private boolean isFenced(int prefix) {
        return now.source(prefix) == SourceFence.MOVED_2;
    }

    /** Whatever the mover did before is over. */
    void claim() {
        boolean free = switch (now.mover[i]) {
            case IDLE, TOKEN, STREAM, LOST -> true;
            default -> false;
        };
        boolean waits = now.pendingFence || now.pendingToken;
        boolean fenced = isFenced(now.visible) && now.seen.fence == TargetFence.IMPORTING;
        if (i == 0 && free && !now.ended && fenced && !waits) {
            step.take(who + "claims T alone", s -> {
                FailoverMover.clear(s, i, Mover.RESYNC_TOKEN);
                s.token[i] = s.takenOver ? 2 : 1;
                FailoverMover.append(s, content -> content.token = s.token[i]);
                s.pendingToken = true;
            });
        }
    }

    void steps() {
        boolean mine = now.all.token == now.token[i] && !now.pendingToken && now.all.fence == TargetFence.IMPORTING;
        if (!mine) {
            return;
        }
        switch (now.mover[i]) {
            case RESYNC_TOKEN -> empty();
            case RESYNC_EMPTIED ->
                step.take(who + "copies (asynchronous commit)", s -> {
                    FailoverMover.append(s, content -> content.rows |= s.sourceRows(s.visible));
                    s.asynchronous();
                    s.at(i, Mover.RESYNC_COPIED);
                });
            default -> activate();
        }
    }

    private void empty() {
        if (!now.standbyBehind && isFenced(now.visible)) {
            step.take(who + "reads S behind the fence, forgets the position, empties T", s -> {
                FailoverMover.append(s, content -> {
                    content.rows = 0;
                    content.position = FailoverState.NO_POSITION;
                });
                s.at(i, Mover.RESYNC_EMPTIED);
            });
        }
    }

    private void activate() {
        boolean sure = isFenced(mutant == FailoverMutant.RESYNCUNCONFIRMED ? now.visible : now.replicated);
        if (sure && !now.pendingFence) {
            step.take(who + "activates T (local)", s -> {
                FailoverMover.append(s, content -> content.fence = TargetFence.OWNED_2);
                s.pendingFence = true;
                s.at(i, Mover.ACTIVATING);
            });
        }
    }
}
