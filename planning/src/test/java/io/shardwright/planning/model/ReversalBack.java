package io.shardwright.planning.model;

import io.shardwright.planning.model.ReversalState.Back;
import io.shardwright.planning.model.ReversalState.Source;
import io.shardwright.planning.model.ReversalState.Target;
import java.util.function.Consumer;

/** The steps of a mover of the way back in {@link ReversalModel}: it follows, then takes the bucket back. */
final class ReversalBack {
    private final ReversalMutant mutant;
    private final int tokens;
    private final ReversalState now;
    private final int i;
    private final ReversalModel.Step step;

    ReversalBack(ReversalMutant mutant, int tokens, ReversalState now, int i, ReversalModel.Step step) {
        this.mutant = mutant;
        this.tokens = tokens;
        this.now = now;
        this.i = i;
        this.step = step;
    }

    void steps() {
        switch (now.follower[i]) {
            case IDLE -> {
                if (now.back.tokens < tokens && now.target != Target.ABSENT) {
                    step.take("a follower has its token on S", s -> {
                        s.back.newToken(i);
                        s.follower[i] = Back.TOKEN_ON_S;
                    });
                }
            }
            case TOKEN_ON_S ->
                step.take("a follower has its claim on T", s -> {
                    s.claim = s.back.own[i];
                    s.follower[i] = Back.CLAIMED_ON_T;
                });
            case CLAIMED_ON_T -> resume();
            case MAKES_SLOT ->
                step.take("a follower makes the slot on T", s -> {
                    s.slot = true;
                    s.log = new int[0];
                    boolean known = s.back.position != ReversalState.NO_POSITION;
                    s.back.position = known ? ReversalState.OLD_POSITION : ReversalState.NO_POSITION;
                    for (int other = 0; other < ReversalState.MOVERS; other++) {
                        if (s.follower[other].compareTo(Back.MAKES_SLOT) > 0) {
                            s.endFollower(other); // its session ends with the slot that it had
                        }
                    }
                    s.follower[i] = Back.HAS_SLOT;
                });
            case HAS_SLOT -> first();
            case IN_TIME -> follow();
            case STREAMING -> {
                stream();
                begin();
                drain();
            }
            case TARGET_LOCKED -> fence();
            case FENCED -> {
                stream();
                activate();
            }
        }
        if (now.follower[i] != Back.IDLE) {
            step.take("a follower crashes", s -> s.endFollower(i));
        }
    }

    private void resume() {
        int position = now.back.position;
        boolean detects = mutant != ReversalMutant.NODETECT;
        boolean known = position != ReversalState.NO_POSITION && (position != ReversalState.OLD_POSITION || !detects);
        boolean anew = now.source == Source.OWNED_0 || mutant == ReversalMutant.REVERSEGAP;
        if (!now.back.mine(i)) {
            refused("the token is another's");
        } else if (now.slot && known) {
            step.take("a follower resumes at the progress row", s -> {
                s.back.position = position == ReversalState.OLD_POSITION ? 0 : position;
                s.back.read[i] = s.back.position;
                s.follower[i] = Back.STREAMING;
            });
        } else if (anew) {
            step.take("a follower finds that S owns: the way back is made anew", s -> s.follower[i] = Back.MAKES_SLOT);
        } else {
            refused("its position is lost");
        }
    }

    private void refused(String why) {
        step.take("a follower ends: " + why, s -> s.endFollower(i));
    }

    /** Asked behind the slot: a fence that is not there now will be activated where the slot sees it. */
    private void first() {
        boolean late = now.source != Source.OWNED_0;
        if (late && mutant != ReversalMutant.FOLLOWUNCHECKED && mutant != ReversalMutant.REVERSEGAP) {
            refused("S was fenced while the slot was made");
        } else {
            step.take("a follower finds that S still owns", s -> s.follower[i] = Back.IN_TIME);
        }
    }

    private void follow() {
        if (now.slot && now.back.mine(i)) {
            step.take("a follower commits its position: it follows", s -> {
                s.back.position = 0;
                s.follower[i] = Back.STREAMING;
            });
        } else {
            refused("token or slot are not as they were");
        }
    }

    private boolean next() {
        return now.back.mine(i) && now.back.position == now.back.read[i];
    }

    private void stream() {
        if (now.back.read[i] == now.log.length || markerIsNext()) {
            return;
        }
        int version = version(now.log[now.back.read[i]]);
        boolean writes = now.source == Source.IMPORTING_BACK || now.tombstone();
        if (version < 0) {
            write(next(), "skips an entry", s -> {});
        } else {
            boolean allowed = (next() && writes) || mutant == ReversalMutant.ZOMBIEAPPLY;
            String what = version == ReversalState.NO_ROW ? "a deletion" : "version " + version;
            write(allowed, "applies " + what + " to S", s -> s.row[0] = version);
        }
    }

    /** Only one who knows that T is fenced asks for it. */
    private boolean markerIsNext() {
        int read = now.back.read[i];
        int marker = mutant == ReversalMutant.REVERSEOLDID ? ReversalState.ACTIVATION : ReversalState.MARKER;
        return now.follower[i] == Back.FENCED && read < now.log.length && now.log[read] == marker;
    }

    private void activate() {
        if (markerIsNext()) {
            write(next() && now.source == Source.IMPORTING_BACK, "7d: activates S", s -> s.source = Source.OWNED_2);
        }
    }

    /** What an entry of the log of T makes of the row on S; less than 0 when nothing. */
    private int version(int entry) {
        if (entry >= ReversalState.ACTIVATION) {
            return -1;
        }
        if (entry >= ReversalState.DELETION) {
            int copied = entry == ReversalState.DELETION ? ReversalState.NO_ROW : entry - ReversalState.COPY;
            return mutant == ReversalMutant.COPYUNMARKED ? copied : -1;
        }
        if (entry >= ReversalState.MOVERS_VERSION) {
            return mutant == ReversalMutant.REVERSELOOP ? entry - ReversalState.MOVERS_VERSION : -1;
        }
        return entry;
    }

    private void write(boolean allowed, String label, Consumer<ReversalState> change) {
        if (allowed) {
            step.take("a follower " + label, s -> {
                change.accept(s);
                s.back.read[i]++;
                if (s.back.mine(i)) {
                    s.back.position = s.back.read[i];
                }
            });
        } else {
            step.take("a follower " + label + ": refused by token or fence", s -> s.endFollower(i));
        }
    }

    private void begin() {
        boolean owner = now.target == Target.OWNED_1 || mutant == ReversalMutant.BEGINEARLY;
        boolean allowed = next() || mutant == ReversalMutant.BEGINUNCHECKED;
        if (now.source == Source.MOVED_1 && owner && allowed) {
            step.take("REVERSAL begins: FS to IMPORTING", s -> s.source = Source.IMPORTING_BACK);
        }
    }

    private void drain() {
        boolean begun = now.source == Source.IMPORTING_BACK;
        if (begun && now.target == Target.OWNED_1 && now.drained(1) && !now.targetLocked()) {
            step.take("a follower 7b: drained and locked T", s -> s.follower[i] = Back.TARGET_LOCKED);
        } else if (begun && now.target == Target.MOVED_2) {
            step.take("a follower finds T fenced", s -> s.follower[i] = Back.FENCED);
        }
    }

    private void fence() {
        if (now.target == Target.OWNED_1 && now.claim == now.back.own[i]) {
            step.take("a follower 7c: fences T", s -> {
                s.target = Target.MOVED_2;
                s.logOfTarget(ReversalState.MARKER);
                s.follower[i] = Back.FENCED;
            });
        } else {
            refused("claim or fence are not as they were");
        }
        step.take("a follower loses the lock of T", s -> s.follower[i] = Back.STREAMING);
    }
}
