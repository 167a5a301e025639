package io.shardwright.planning.model;

import io.shardwright.planning.model.ReversalState.Source;
import io.shardwright.planning.model.ReversalState.Target;
import io.shardwright.planning.model.ReversalState.There;
import java.util.function.Consumer;

/** The steps of a mover of the way there in {@link ReversalModel}. */
final class ReversalThere {
    private final ReversalMutant mutant;
    private final int tokens;
    private final ReversalState now;
    private final int i;
    private final ReversalModel.Step step;

    ReversalThere(ReversalMutant mutant, int tokens, ReversalState now, int i, ReversalModel.Step step) {
        this.mutant = mutant;
        this.tokens = tokens;
        this.now = now;
        this.i = i;
        this.step = step;
    }

    void steps() {
        switch (now.mover[i]) {
            case IDLE -> start();
            case PREPARED ->
                write("deletes leftovers on T", s -> {
                    s.row[1] = ReversalState.NO_ROW;
                    s.logOfTarget(ReversalState.DELETION);
                    s.mover[i] = There.EMPTIED;
                });
            case EMPTIED -> copy();
            case STREAMING -> {
                stream();
                drain();
            }
            case SOURCE_LOCKED -> fence();
            case FENCED -> {
                stream();
                activate();
            }
        }
        if (now.mover[i] != There.IDLE) {
            step.take("a mover crashes", s -> s.endMover(i));
        }
    }

    private void start() {
        if (now.there.tokens == tokens) {
            return;
        }
        boolean importing = now.target == Target.IMPORTING;
        if (now.source == Source.OWNED_0 && (now.target == Target.ABSENT || importing)) {
            step.take("a mover step 2: token, IMPORTING", s -> {
                s.there.newToken(i);
                s.there.position = ReversalState.NO_POSITION;
                s.target = Target.IMPORTING;
                s.mover[i] = There.PREPARED;
            });
        }
        if (importing && now.there.position != ReversalState.NO_POSITION) {
            step.take("a mover resumes at the progress row", s -> {
                s.there.newToken(i);
                s.there.read[i] = s.there.position;
                s.mover[i] = There.STREAMING;
            });
        }
    }

    /** A transaction on T that first updates the progress row by token and reads its own row of the fence. */
    private void write(String label, Consumer<ReversalState> change) {
        if (now.there.mine(i) && now.target == Target.IMPORTING) {
            step.take("a mover " + label, change);
        } else {
            step.take("a mover " + label + ": refused by token or fence", s -> s.endMover(i));
        }
    }

    private void copy() {
        if (now.source == Source.OWNED_0) {
            write("copies version " + now.row[0], s -> {
                s.row[1] = s.row[0];
                s.logOfTarget(ReversalState.COPY + s.row[0]);
                s.there.position = s.row[0];
                s.there.read[i] = s.row[0];
                s.mover[i] = There.STREAMING;
            });
        }
    }

    private void stream() {
        int read = now.there.read[i];
        if (now.target != Target.OWNED_1 && read < now.newest) {
            write("applies version " + (read + 1), s -> {
                s.row[1] = read + 1;
                s.logOfTarget(ReversalState.MOVERS_VERSION + read + 1);
                s.there.read[i] = read + 1;
                s.there.position = read + 1;
            });
        }
    }

    private void drain() {
        boolean follows = now.slot && now.back.position != ReversalState.NO_POSITION;
        boolean wayBack = follows || mutant == ReversalMutant.REVERSEGAP;
        if (now.source == Source.OWNED_0 && now.drained(0) && !now.sourceLocked() && wayBack) {
            step.take("a mover 7b: drained and locked S", s -> s.mover[i] = There.SOURCE_LOCKED);
        } else if (now.source == Source.MOVED_1) {
            step.take("a mover finds S fenced", s -> s.mover[i] = There.FENCED);
        }
    }

    private void fence() {
        if (now.source == Source.OWNED_0 && now.there.mine(i)) {
            step.take("a mover 7c: fences S", s -> {
                s.source = Source.MOVED_1;
                s.mover[i] = There.FENCED;
            });
        } else {
            step.take("a mover 7c: refused by claim or fence", s -> s.endMover(i));
        }
        step.take("a mover loses the lock of S", s -> s.mover[i] = There.STREAMING);
    }

    /** The marker is the version that S had at its fence: nobody but the movers has written since, until this is done. */
    private void activate() {
        if (now.there.read[i] == now.newest || now.target == Target.OWNED_1) {
            write("7d: activates T", s -> {
                s.target = Target.OWNED_1;
                s.logOfTarget(ReversalState.ACTIVATION);
                s.endMover(i);
            });
        }
    }
}
