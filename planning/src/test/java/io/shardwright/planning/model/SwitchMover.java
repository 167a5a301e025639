package io.shardwright.planning.model;

import io.shardwright.planning.model.SwitchState.Fence;
import io.shardwright.planning.model.SwitchState.Mover;
import java.util.function.Consumer;

/** The steps of one mover in {@link SwitchModel}, from its token to the activation of T, and the ways in which it breaks off. */
final class SwitchMover {
    private final SwitchMutant mutant;
    private final int crashes;
    private final SwitchState now;
    private final int i;
    private final SwitchModel.Step step;
    private final String who;
    private final boolean mine;

    /** @param crashes how many there may be, of all movers */
    SwitchMover(SwitchMutant mutant, int crashes, SwitchState now, int i, SwitchModel.Step step) {
        this.mutant = mutant;
        this.crashes = crashes;
        this.now = now;
        this.i = i;
        this.step = step;
        who = "mover " + i;
        mine = now.token == now.moverToken[i] && now.fence[1] == Fence.IMPORTING;
    }

    void steps() {
        move();
        breakOff();
    }

    private void move() {
        boolean unchecked = mutant == SwitchMutant.ZOMBIEAPPLY;
        switch (now.mover[i]) {
            case IDLE -> start();
            case PREPARED ->
                write(mine, i, who + " deletes leftovers on T", step, s -> {
                    s.row[1] = SwitchState.NO_ROW;
                    s.mover[i] = Mover.EMPTIED;
                });
            case EMPTIED -> {
                if (now.fence[0] == Fence.OWNED && !now.refusesWrites()) {
                    step.take(who + " opens slot and snapshot", s -> {
                        s.read[i] = s.log.length;
                        s.mover[i] = Mover.SNAPSHOT;
                    });
                }
            }
            case SNAPSHOT ->
                write(mine || unchecked, i, who + " copies", step, s -> {
                    s.row[1] = s.read[i] == 0 ? 0 : s.log[s.read[i] - 1];
                    s.position = s.read[i];
                    s.mover[i] = Mover.STREAMING;
                });
            case STREAMING -> stream();
            case TARGET_LOCKED -> drain();
            case SOURCE_LOCKED -> fence();
            case FENCED -> activate();
            case ACTIVATED_WITHOUT_TAIL ->
                step.take(who + " applies the tail after the activation", s -> {
                    s.row[1] = s.marker == 0 ? s.row[1] : s.log[s.marker - 1];
                    s.mover[i] = Mover.DONE;
                });
            default -> {} // ended, or of a re-sync
        }
    }

    private void start() {
        if (now.tokens >= SwitchState.MOVERS + crashes || now.refusesWrites()) { // both sides are claimed
            return;
        }
        if (now.fence[0] == Fence.OWNED && now.fence[1] == Fence.ABSENT) {
            step.take(who + " step 2: token, IMPORTING", s -> {
                newToken(s, i);
                s.fence[1] = Fence.IMPORTING;
                s.mover[i] = Mover.PREPARED;
            });
        }
        if (now.fence[1] == Fence.IMPORTING && now.position == SwitchState.NO_POSITION) {
            if (now.fence[0] == Fence.OWNED) {
                step.take(who + " redoes step 2", s -> {
                    newToken(s, i);
                    s.mover[i] = Mover.PREPARED;
                });
            }
        } else if (now.fence[1] == Fence.IMPORTING && !now.logLost) {
            step.take(who + " resumes at the progress row", s -> {
                newToken(s, i);
                s.read[i] = s.position;
                s.mover[i] = Mover.STREAMING;
            });
        }
    }

    static void newToken(SwitchState s, int i) {
        s.tokens++;
        s.token = s.tokens;
        s.moverToken[i] = s.tokens;
    }

    /** A transaction on T that first updates the progress row by token and reads its own row of the fence. */
    static void write(boolean allowed, int i, String label, SwitchModel.Step step, Consumer<SwitchState> change) {
        if (allowed) {
            step.take(label, change);
        } else {
            step.take(label + ": refused by token or fence", s -> end(s, i, Mover.DEAD));
        }
    }

    static void end(SwitchState s, int i, Mover how) {
        s.mover[i] = how;
        s.moverToken[i] = SwitchState.NOBODY;
        s.read[i] = 0;
    }

    private void stream() {
        boolean unchecked = mutant == SwitchMutant.ZOMBIEAPPLY;
        int end = now.fence[0] == Fence.MOVED ? now.marker : now.log.length;
        if (now.read[i] < end && !now.logLost) {
            boolean next = now.position == now.read[i];
            write((mine && next) || unchecked, i, who + " applies version " + now.log[now.read[i]], step, s -> {
                s.row[1] = s.log[s.read[i]];
                s.read[i]++;
                s.position = s.read[i];
            });
        }
        if (now.sharedFree(1) && now.exclusiveFree(1)) {
            step.take(who + " 7a: locks T", s -> s.mover[i] = Mover.TARGET_LOCKED);
        }
    }

    private void drain() {
        if (now.refusesWrites()) {
            return; // neither a fence nor the confirmation of one can be committed
        }
        if (now.fence[0] == Fence.MOVED) {
            step.take(who + " finds S fenced", s -> s.mover[i] = Mover.FENCED);
            return;
        }
        boolean drained = now.sharedFree(0) || mutant == SwitchMutant.NODRAIN || mutant == SwitchMutant.NOLOCK;
        if (drained && now.exclusiveFree(0)) {
            step.take(who + " 7b: drained and locked S", s -> s.mover[i] = Mover.SOURCE_LOCKED);
        }
    }

    private void fence() {
        if (now.refusesWrites()) {
            return;
        }
        if (now.fence[0] == Fence.OWNED) {
            step.take(who + " 7c: fences S", s -> {
                s.fence[0] = Fence.MOVED;
                s.marker = s.log.length;
                s.mover[i] = Mover.FENCED;
            });
        } else {
            step.take(who + " 7c: S is not as it was", s -> s.mover[i] = Mover.STREAMING);
        }
    }

    /** 7d is one transaction: tail up to the marker, progress, compare-and-swap of FT. */
    private void activate() {
        if (now.logLost) {
            return; // the marker does not come
        }
        if (mutant == SwitchMutant.SPLITACTIVATE) {
            write(mine, i, who + " activates T alone", step, s -> {
                s.fence[1] = Fence.OWNED;
                s.mover[i] = Mover.ACTIVATED_WITHOUT_TAIL;
            });
            return;
        }
        write(mine && now.position == now.read[i], i, who + " 7d: tail and activation of T", step, s -> {
            if (s.read[i] < s.marker) {
                s.row[1] = s.log[s.marker - 1];
            }
            s.position = s.marker;
            s.fence[1] = Fence.OWNED;
            end(s, i, Mover.DONE);
        });
    }

    /** A crash loses everything local; a terminated session loses the locks only. */
    private void breakOff() {
        Mover at = now.mover[i];
        if (at == Mover.IDLE || at == Mover.DONE) {
            return;
        }
        if (now.crashes < crashes) {
            step.take(who + " crashes", s -> {
                end(s, i, Mover.IDLE);
                s.crashes++;
            });
        }
        if (at == Mover.TARGET_LOCKED || at == Mover.SOURCE_LOCKED || at == Mover.FENCED) {
            step.take(who + " loses its sessions and locks", s -> s.mover[i] = Mover.STREAMING);
        }
    }
}
