package io.shardwright.planning.model;

import io.shardwright.planning.model.FailoverState.Commit;
import io.shardwright.planning.model.FailoverState.Content;
import io.shardwright.planning.model.FailoverState.Mover;
import io.shardwright.planning.model.FailoverState.Slot;
import io.shardwright.planning.model.FailoverState.SourceFence;
import io.shardwright.planning.model.FailoverState.TargetFence;
import java.util.function.Consumer;

/** The steps of one mover in {@link FailoverModel}: preparation, stream, switch. */
final class FailoverMover {
    /** A longer log of S adds confirmations only. */
    private static final int LAST_CONFIRMATION = 7;

    private final FailoverMutant mutant;
    private final FailoverModel.Scope scope;
    private final FailoverState now;
    private final int i;
    private final FailoverModel.Step step;
    private final String who;
    private final String from;
    private final String to;
    private final SourceFence source;

    FailoverMover(FailoverModel.Scope scope, FailoverState now, int i, FailoverModel.Step step) {
        this.mutant = scope.mutant();
        this.scope = scope;
        this.now = now;
        this.i = i;
        this.step = step;
        this.who = i == 0 ? "mover" : "zombie";
        this.from = scope.reversal() ? "T" : "S";
        this.to = scope.reversal() ? "S" : "T";
        this.source = now.source(now.visible);
    }

    /** Commits on T; waits for its standby unless it is said to be asynchronous. */
    static void append(FailoverState s, Consumer<Content> change) {
        change.accept(s.all);
        s.standbyBehind = true;
        s.pending = true;
    }

    static void clear(FailoverState s, int i, Mover next) {
        s.at(i, next);
        s.token[i] = 0;
        s.read[i] = 0;
    }

    void steps() {
        if (now.refusesWrites()) {
            new FailoverResync(mutant, now, i, step).claim();
        }
        switch (now.mover[i]) {
            case NONE -> {}
            case IDLE -> start();
            case TOKEN -> resume();
            case DELETE -> delete();
            case COPY -> copy();
            case STREAM -> {
                apply();
                rewound();
                confirmSlot();
                begin();
                drain();
                if (source == SourceFence.MOVED_2) {
                    confirmFence();
                }
            }
            case DRAINED -> fence();
            case FENCING -> answered();
            case LOST -> confirmFence();
            case UNSURE -> {
                apply();
                confirmSlot();
                if (now.moverCommit[i] == Commit.REPLICATED) {
                    step.take(who + ": the fence is confirmed", s -> s.at(i, Mover.FENCED));
                }
            }
            case FENCED -> {
                apply();
                confirmSlot();
                activate();
            }
            case RESYNC_TOKEN, RESYNC_EMPTIED, RESYNC_COPIED -> new FailoverResync(mutant, now, i, step).steps();
            case ACTIVATING -> {
                if (now.moverCommit[i] == Commit.REPLICATED) {
                    step.take(who + ": the activation is durable", s -> clear(s, i, Mover.IDLE));
                }
            }
        }
    }

    private boolean tokenIsMine() {
        return now.all.token == now.token[i] && !now.pendingToken;
    }

    private boolean importing() {
        return now.all.fence == TargetFence.IMPORTING;
    }

    /** A reversal follows before it begins; the rows are there, so no step deletes or copies any. */
    private boolean writable(TargetFence fence) {
        return fence == TargetFence.IMPORTING || fence == TargetFence.FOLLOWING || fence == TargetFence.TOMBSTONE;
    }

    private boolean positionIsMine() {
        return now.all.position == now.read[i] || mutant == FailoverMutant.NOPOS;
    }

    private void token(FailoverState s, int token, int position) {
        append(s, content -> {
            content.token = token;
            content.position = position;
        });
        s.pendingToken = true;
    }

    private void start() {
        if (i == 1 || now.ended || now.refusesWrites()) { // both sides are claimed
            return;
        }
        int next = now.takenOver ? 2 : 1;
        if (source == SourceFence.OWNED_1 && now.seen.fence == TargetFence.NONE && !now.pending) {
            step.take(who + " step 2: token, IMPORTING", s -> {
                token(s, next, FailoverState.NO_POSITION);
                append(s, content -> content.fence = TargetFence.IMPORTING);
                s.pendingFence = true;
                s.token[i] = next;
                s.at(i, Mover.DELETE);
            });
        }
        boolean fenceWaits = now.pendingFence || now.pendingToken;
        if (writable(now.seen.fence) && !fenceWaits) {
            step.take(who + " takes a new token", s -> {
                token(s, next, s.all.position);
                s.token[i] = next;
                s.at(i, Mover.TOKEN);
            });
        }
    }

    private void resume() {
        if (now.standbyBehind || now.refusesWrites()) {
            return;
        }
        boolean detects = mutant != FailoverMutant.EARLYCONFIRM_NODETECT;
        boolean gone = now.slot != Slot.OK
                || now.seen.position == FailoverState.NO_POSITION
                || (now.confirmed > now.seen.position && detects);
        if (!gone) {
            step.take(who + " resumes at the progress row", s -> {
                int from = Math.max(s.seen.position, s.confirmed); // the server starts at the later of both
                if (from > s.seen.position) {
                    token(s, s.token[i], from);
                }
                s.read[i] = from;
                s.at(i, Mover.STREAM);
            });
        } else if (source == SourceFence.OWNED_1 && !scope.reversal()) {
            step.take(who + " redoes step 2: position NULL", s -> {
                if (mutant != FailoverMutant.KEEPPOS) {
                    token(s, s.token[i], FailoverState.NO_POSITION);
                }
                s.at(i, Mover.DELETE);
            });
        }
    }

    private void delete() {
        boolean allowed = tokenIsMine() && importing() && !(scope.preparationWaits() && now.standbyBehind);
        if (source == SourceFence.OWNED_1 && (allowed || mutant == FailoverMutant.ZOMBIE2)) {
            boolean checked = tokenIsMine() && importing();
            step.take(who + " deletes leftovers on T", s -> {
                append(s, content -> {
                    content.rows = 0;
                    if (checked && mutant != FailoverMutant.KEEPPOS) {
                        content.position = FailoverState.NO_POSITION;
                    }
                });
                s.at(i, Mover.COPY);
            });
        }
    }

    private void copy() {
        if (now.refusesWrites()) {
            return; // no slot
        }
        boolean quiet = now.noWriterOn(0) && !now.sourcePending();
        if (source == SourceFence.OWNED_1 && tokenIsMine() && importing() && quiet) {
            step.take(who + " snapshot and copy", s -> {
                int end = s.log.length;
                append(s, content -> {
                    content.rows |= s.sourceRows(s.visible);
                    content.position = end;
                });
                s.slot = Slot.OK;
                s.confirmed = end;
                s.read[i] = end;
                s.at(i, Mover.STREAM);
            });
        }
    }

    private void apply() {
        boolean next = now.slot == Slot.OK && now.read[i] < now.log.length && !now.fenceAt(now.read[i]);
        if (!next || !tokenIsMine() || !writable(now.all.fence) || !positionIsMine()) {
            return;
        }
        int entry = now.log[now.read[i]];
        if (entry < FailoverState.FENCED) {
            step.take(who + " applies " + entry + " (asynchronous commit)", s -> {
                append(s, content -> {
                    content.rows |= 1 << entry;
                    content.position = s.read[i] + 1;
                });
                s.asynchronous();
                s.read[i]++;
            });
        } else {
            step.take(who + " skips an entry", s -> {
                token(s, s.token[i], s.read[i] + 1);
                s.read[i]++;
            });
        }
    }

    /** A failover of T has taken applied rows away. */
    private void rewound() {
        if (now.slot == Slot.OK && now.all.position != now.read[i] && mutant != FailoverMutant.NOPOS) {
            step.take(who + " sees another position on " + to, s -> {
                if (i == 0) {
                    s.read[i] = 0;
                    s.at(i, Mover.TOKEN);
                } else {
                    clear(s, i, Mover.NONE);
                }
            });
        }
    }

    /** S is told as flushed only what the standby of T has. */
    private void confirmSlot() {
        int durable = now.onStandby.position == FailoverState.NO_POSITION ? -1 : now.onStandby.position;
        int limit = mutant == FailoverMutant.EARLYCONFIRM_NODETECT ? now.read[i] : Math.min(now.read[i], durable);
        if (now.slot == Slot.OK && tokenIsMine() && now.confirmed < limit) {
            step.take(who + " confirms the slot at " + limit, s -> s.confirmed = limit);
        }
    }

    /**
     * The rows of a reversal are there: the tombstone becomes IMPORTING, when the activation of T is on T's standby. That
     * commit is awaited before the drain.
     */
    private void begin() {
        SourceFence sure = now.source(mutant == FailoverMutant.BEGINUNCONFIRMED ? now.visible : now.replicated);
        if (now.all.fence == TargetFence.FOLLOWING && sure == SourceFence.OWNED_1 && tokenIsMine()) {
            step.take("REVERSAL begins: IMPORTING (local)", s -> {
                append(s, content -> content.fence = TargetFence.IMPORTING);
                s.pendingFence = true;
            });
        }
    }

    private void drain() {
        boolean begun = !scope.reversal() || !scope.preparationWaits() || now.onStandby.fence == TargetFence.IMPORTING;
        boolean claim = mutant == FailoverMutant.NOCLAIM || (tokenIsMine() && !now.ended && importing() && begun);
        boolean quiet = !now.sourceLocked && now.noWriterOn(0) && !now.sourcePending();
        if (now.slot == Slot.OK && source == SourceFence.OWNED_1 && quiet && claim) {
            step.take(who + " 7b: drained " + from, s -> {
                s.sourceLocked = true;
                s.at(i, Mover.DRAINED);
            });
        }
    }

    private void fence() {
        boolean claim = mutant == FailoverMutant.NOCLAIM || (!now.ended && now.all.token == now.token[i]);
        if (now.source(now.log.length) == SourceFence.OWNED_1 && claim && !now.refusesWrites()) {
            step.take(who + " 7c: fences " + from + " (local)", s -> {
                s.appendToSource(FailoverState.FENCED);
                s.at(i, Mover.FENCING);
            });
        }
        step.take(who + " loses the lock of " + from, s -> {
            s.sourceLocked = false;
            s.at(i, Mover.STREAM);
        });
    }

    private void answered() {
        if (now.moverCommit[i] == Commit.REPLICATED) {
            step.take(who + ": the fence is answered", s -> {
                s.sourceLocked = false;
                s.at(i, Mover.FENCED);
            });
        } else if (now.moverCommit[i] == Commit.VISIBLE) {
            step.take(who + ": the answer of the fence was cancelled", s -> {
                s.sourceLocked = false;
                s.at(i, Mover.LOST);
            });
        } else if (mutant == FailoverMutant.MARKER && now.fenceAt(now.read[i])) {
            step.take(who + " goes on with the marker alone", s -> s.at(i, Mover.FENCED));
        }
    }

    /** After a lost answer, or as a new mover that reads MOVED: exactly one row must be fenced by us, by a commit that waits. */
    private void confirmFence() {
        boolean mine = now.source(now.log.length) == SourceFence.MOVED_2;
        if (mine || mutant == FailoverMutant.NOREREAD) {
            if (mutant == FailoverMutant.NOSYNC) {
                step.take(who + " believes what it reads", s -> s.at(i, Mover.FENCED));
            } else if (now.log.length < LAST_CONFIRMATION && !now.refusesWrites()) {
                step.take(who + " confirms the fence by a commit on " + from, s -> {
                    s.appendToSource(mine ? FailoverState.FENCED : FailoverState.HEARTBEAT);
                    s.at(i, Mover.UNSURE);
                });
            }
        } else if (now.mover[i] == Mover.LOST && now.slot == Slot.OK) {
            step.take(who + " finds " + from + " not fenced", s -> s.at(i, Mover.STREAM));
        }
    }

    private void activate() {
        boolean marker = now.slot == Slot.OK && now.fenceAt(now.read[i]);
        boolean unread = mutant == FailoverMutant.NOREREAD && now.read[i] >= now.log.length - 1;
        boolean fenceWaits = now.pendingFence || now.pendingToken;
        if ((marker || unread) && tokenIsMine() && importing() && !fenceWaits && positionIsMine()) {
            step.take(who + " 7d: activates " + to + " (local)", s -> {
                append(s, content -> {
                    content.fence = TargetFence.OWNED_2;
                    content.position = s.read[i] + 1;
                });
                s.pendingFence = true;
                s.at(i, Mover.ACTIVATING);
            });
        }
    }
}
