package io.shardwright.planning.model;

import io.shardwright.planning.model.SwitchState.Fence;
import io.shardwright.planning.model.SwitchState.Mover;

/**
 * The steps of one mover in {@link SwitchModel} that finds S fenced and without writes: it claims T alone, reads S behind the fence,
 * copies its row once more and activates T, without stream and marker.
 */
final class SwitchResync {
    private final SwitchMutant mutant;
    private final SwitchState now;
    private final int i;
    private final int tokens;
    private final SwitchModel.Step step;
    private final String who;
    private final boolean claimed;
    private final boolean mine;

    /** @param tokens how many there are */
    SwitchResync(SwitchMutant mutant, SwitchState now, int i, int tokens, SwitchModel.Step step) {
        this.mutant = mutant;
        this.now = now;
        this.i = i;
        this.tokens = tokens;
        this.step = step;
        who = "mover " + i + " re-sync: ";
        claimed = now.token == now.moverToken[i];
        mine = claimed && now.fence[1] == Fence.IMPORTING;
    }

    void steps() {
        switch (now.mover[i]) {
            case IDLE, STREAMING -> claim();
            case RESYNC_CLAIMED -> read();
            case RESYNC_READ ->
                SwitchMover.write(mine, i, who + "forgets the position", step, s -> {
                    if (mutant != SwitchMutant.RESYNCKEEPPOS) {
                        s.position = SwitchState.NO_POSITION;
                    }
                    s.mover[i] = Mover.RESYNC_FORGOTTEN;
                });
            case RESYNC_FORGOTTEN ->
                SwitchMover.write(writable(), i, who + "empties T", step, s -> {
                    s.row[1] = SwitchState.NO_ROW;
                    s.mover[i] = Mover.RESYNC_EMPTIED;
                });
            case RESYNC_EMPTIED ->
                SwitchMover.write(writable(), i, who + "copies", step, s -> {
                    s.row[1] = s.read[i];
                    s.mover[i] = Mover.RESYNC_COPIED;
                });
            case RESYNC_COPIED ->
                SwitchMover.write(
                        now.fence[0] == Fence.MOVED,
                        i,
                        who + "sees the fence once more",
                        step,
                        s -> s.mover[i] = Mover.RESYNC_CONFIRMED);
            case RESYNC_CONFIRMED -> activate();
            default -> {} // of a mover with a stream
        }
    }

    private boolean writable() {
        return mine || mutant == SwitchMutant.RESYNCZOMBIE && now.fence[1] == Fence.IMPORTING;
    }

    private void claim() {
        boolean fenced = now.fence[0] == Fence.MOVED || mutant == SwitchMutant.RESYNCEARLY;
        if (now.refusesWrites() && fenced && now.fence[1] == Fence.IMPORTING && now.tokens < tokens) {
            step.take(who + "claims T alone", s -> {
                SwitchMover.newToken(s, i);
                s.read[i] = 0;
                s.mover[i] = Mover.RESYNC_CLAIMED;
            });
        }
    }

    /** Behind the lock of S, and in the snapshot in which the fence is seen. */
    private void read() {
        boolean fenced = now.fence[0] == Fence.MOVED || mutant == SwitchMutant.RESYNCEARLY;
        if (!fenced) {
            step.take(who + "finds no fence", s -> SwitchMover.end(s, i, Mover.IDLE));
        } else if (now.sharedFree(0) && now.exclusiveFree(0)) {
            step.take(who + "reads S behind the fence", s -> {
                s.read[i] = s.row[0];
                s.mover[i] = Mover.RESYNC_READ;
            });
        }
    }

    private void activate() {
        boolean any = mutant == SwitchMutant.RESYNCNOID && claimed && now.fence[1] == Fence.IMPORTING_OTHER;
        SwitchMover.write(mine || any, i, who + "activates T", step, s -> {
            s.fence[1] = Fence.OWNED;
            SwitchMover.end(s, i, Mover.DONE);
        });
    }
}
