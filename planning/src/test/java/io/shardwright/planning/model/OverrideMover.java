package io.shardwright.planning.model;

import io.shardwright.planning.model.OverrideModel.Extra;
import io.shardwright.planning.model.OverrideModel.Step;
import io.shardwright.planning.model.OverrideState.Fence;
import io.shardwright.planning.model.OverrideState.Frozen;
import io.shardwright.planning.model.OverrideState.Move;
import io.shardwright.planning.model.OverrideState.Row;
import java.util.function.Consumer;

/** The steps of one open move in {@link OverrideModel}, of a bucket or of a key (section 9). */
final class OverrideMover {
    private final OverrideMutant mutant;
    private final Extra extra;
    private final OverrideState now;
    private final Step step;
    private final int slot;
    private final int id;
    private final Move move;
    private final Row source;
    private final Row target;

    OverrideMover(OverrideMutant mutant, Extra extra, OverrideState now, int slot, Step step) {
        this.mutant = mutant;
        this.extra = extra;
        this.now = now;
        this.step = step;
        this.slot = slot;
        id = slot + 1;
        move = now.move[slot];
        source = row(now, move.source);
        target = row(now, move.target);
    }

    private Row row(OverrideState s, int shard) {
        return move.ofBucket() ? s.bucket[shard] : s.key[move.key()][shard];
    }

    private void take(String label, Consumer<OverrideState> change) {
        step.take("move " + slot + " " + label, change);
    }

    void steps() {
        boolean activated = target.is(Fence.OWNED, move.epoch + 1, id) || move.source == move.target;
        boolean folded = isHome(move.target) && mutant != OverrideMutant.FOLDTAKENFORLOST;
        if (move.aborting) {
            abort();
        } else if (move.recordedOnSource && (activated || folded)) {
            OverrideReversal reversal = reversal();
            if (extra == Extra.REVERSALS && reversal.open()) {
                reversal.steps(now);
            } else {
                finish();
            }
        } else {
            decideAgainst();
            fill();
        }
    }

    private OverrideReversal reversal() {
        return new OverrideReversal(now, slot, this::row, this::take);
    }

    /** The key has no row of its own where its bucket is owned, so it has been folded back, or was never split off. */
    private boolean isHome(int shard) {
        return !move.ofBucket() && now.owns(shard) && !row(now, shard).present();
    }

    private void fill() {
        if (!move.recordedOnSource) {
            record();
            return;
        }
        boolean importing = target.is(Fence.IMPORTING, move.epoch, id);
        if (move.ofBucket() && !(move.reversal && mutant != OverrideMutant.REVERSALFOLDS) && takesAlong()) {
            return;
        }
        if (!move.ofBucket() && !source.present()) {
            split();
        } else if (!importing && !move.reversal && source.is(Fence.OWNED, move.epoch)) {
            mark();
        } else if (importing) {
            copyAndSwitch();
        }
    }

    /** Keys that the source owns by rows of their own are folded back first, and come with their bucket. */
    private boolean takesAlong() {
        boolean apart = false;
        for (int key = 0; key < OverrideState.KEYS; key++) {
            boolean owned = now.key[key][move.source].state == Fence.OWNED && source.is(Fence.OWNED, move.epoch);
            apart |= owned && fold(move.source, key);
        }
        return apart;
    }

    /** First of all, on the target and then on the source: where another move of the same rows has a record, nothing is done. */
    private void record() {
        boolean onTarget = !move.recordedOnTarget;
        int shard = onTarget ? move.target : move.source;
        Move other = now.move[1 - slot];
        boolean looks = mutant != OverrideMutant.NOEXCLUSION
                && mutant != (onTarget ? OverrideMutant.NOEXCLUSIONONTARGET : OverrideMutant.NOEXCLUSIONONSOURCE);
        if (move.overlaps(other) && other.recordedOn(shard) && looks) {
            return;
        }
        take("records its rows on " + shard, s -> {
            s.move[slot].recordedOnTarget = true;
            s.move[slot].recordedOnSource = !onTarget || move.source == move.target;
        });
    }

    private void split() {
        int shard = move.source;
        boolean drained = now.bucketFree(shard) || mutant == OverrideMutant.SPLITUNDRAINED;
        boolean owned = now.bucket[shard].is(Fence.OWNED, move.epoch) || mutant == OverrideMutant.LATESPLIT;
        if (drained && owned) {
            take("K1: splits the key off on " + shard, s -> {
                row(s, shard).set(Fence.OWNED, move.epoch, 0);
                count(s, shard);
            });
            if (mutant == OverrideMutant.SPLITUNCLAIMED) {
                freeze(Frozen.SPLIT, shard);
            }
        }
    }

    private void freeze(Frozen what, int shard) {
        int key = move.ofBucket() ? 0 : move.key();
        if (now.frozen == Frozen.NONE) {
            take("is frozen before " + what, s -> OverrideModel.freeze(s, what, shard, key));
        }
    }

    private void count(OverrideState s, int shard) {
        if (mutant != OverrideMutant.OVERRIDEBLIND) {
            s.overrides[shard] = s.countOverrides(shard);
        }
    }

    /** Step 2: IMPORTING, then rows of other keys' own go, then what is left over of earlier moves. */
    private void mark() {
        boolean free = !target.present()
                || target.state == Fence.ABORTED
                || (target.state == Fence.MOVED && target.epoch <= move.epoch);
        if (!free) {
            return;
        }
        take("marks IMPORTING on " + move.target, s -> {
            row(s, move.target).set(Fence.IMPORTING, move.epoch, id);
            for (int k = 0; k < OverrideState.KEYS; k++) {
                Row key = s.key[k][move.target];
                if (move.ofBucket() && isOld(key, s.key[k][move.source])) {
                    key.remove();
                }
                boolean leftover = move.ofBucket() ? !key.present() : move.key() == k;
                if (leftover || mutant == OverrideMutant.LEFTOVERSOFKEYS) {
                    s.version[k][move.target] = OverrideState.NO_ROW;
                }
            }
        });
    }

    /** Whether a row of a key on the target says nothing any more: the key lives with its bucket, or the source knows better where. */
    private boolean isOld(Row key, Row onSource) {
        boolean newer = onSource.present() && key.epoch > onSource.epoch;
        boolean kept = newer && mutant != OverrideMutant.OLDERPOINTER || mutant == OverrideMutant.KEYROWSKEPT;
        return key.state != Fence.OWNED && !kept;
    }

    private void copyAndSwitch() {
        if (!move.copied && source.is(Fence.OWNED, move.epoch)) {
            take("copies", s -> {
                s.move[slot].copied = true;
                s.move[slot].without = keysWithRows(s);
                bring(s, move.source, move.target);
            });
        }
        if (!move.copied) {
            return;
        }
        boolean behind = false;
        for (int k = 0; k < OverrideState.KEYS; k++) {
            behind |= move.takes(k) && now.version[k][move.source] != now.version[k][move.target];
        }
        if (behind) {
            take("applies the stream", s -> bring(s, move.source, move.target));
        }
        if (source.is(Fence.OWNED, move.epoch) && free(move.source)) {
            take("7c: fences " + move.source, s -> row(s, move.source).pointTo(move.target, move.epoch + 1, id));
        }
        if (source.is(Fence.MOVED, move.epoch + 1, id) && free(move.target)) {
            take("7d: activates " + move.target, this::activate);
        }
    }

    private int keysWithRows(OverrideState s) {
        int keys = 0;
        for (int k = 0; k < OverrideState.KEYS; k++) {
            if (move.ofBucket() && s.key[k][move.source].present() && mutant != OverrideMutant.COPYKEYS) {
                keys |= 1 << k;
            }
        }
        return keys;
    }

    private void bring(OverrideState s, int from, int to) {
        for (int k = 0; k < OverrideState.KEYS; k++) {
            if (s.move[slot].takes(k)) {
                s.version[k][to] = s.version[k][from];
            }
        }
    }

    private boolean free(int shard) {
        return move.ofBucket() ? now.bucketFree(shard) : now.keyFree(shard, move.key());
    }

    private void activate(OverrideState s) {
        bring(s, move.source, move.target);
        row(s, move.target).set(Fence.OWNED, move.epoch + 1, id);
        if (!move.ofBucket()) {
            s.pin[move.key()] = move.target + 1;
            return;
        }
        for (int k = 0; k < OverrideState.KEYS; k++) {
            Row here = s.key[k][move.target];
            Row there = s.key[k][move.source];
            boolean better = here.present() && mutant != OverrideMutant.TOMBSTONEOVEROWNER;
            if (there.present() && !better && mutant != OverrideMutant.NOTOMBSTONE) {
                here.pointTo(there.owner, there.epoch, 0);
            }
        }
        if (mutant != OverrideMutant.ACTIVATEUNCOUNTED) {
            count(s, move.target);
        }
    }

    /** I6: the row on the target says so before anything is taken back. A move without both records touches nothing. */
    private void decideAgainst() {
        boolean entered = move.recordedOnSource || mutant == OverrideMutant.ABORTUNRECORDED;
        boolean fenced = source.is(Fence.MOVED, move.epoch + 1, id);
        boolean importing = target.is(Fence.IMPORTING, move.epoch, id);
        boolean left = target.state == Fence.MOVED || target.state == Fence.ABORTED;
        boolean ours = importing || left && target.epoch <= move.epoch || !target.present();
        if (fenced && !ours) {
            return; // a person has to look
        }
        boolean could = fenced || source.is(Fence.OWNED, move.epoch);
        boolean writes = entered && (importing || ours && could);
        take("is aborted", s -> {
            s.move[slot].aborting = true;
            if (writes) {
                row(s, move.target).set(Fence.ABORTED, move.epoch, id);
            }
        });
    }

    private void abort() {
        if (!move.recordedOnSource && mutant != OverrideMutant.ABORTUNRECORDED) {
            end(); // it has done nothing, and what it finds may be another's
            return;
        }
        boolean decided = target.is(Fence.ABORTED, move.epoch, id);
        if (decided && (source.is(Fence.MOVED, move.epoch + 1, id) || source.is(Fence.OWNED, move.epoch))) {
            take(
                    "abort: " + move.source + " owns with epoch e+2",
                    s -> row(s, move.source).set(Fence.OWNED, move.epoch + 2, id));
            return;
        }
        if (move.reversal) {
            reversal().giveUp();
            return;
        }
        boolean rows = false;
        for (int k = 0; k < OverrideState.KEYS; k++) {
            rows |= decided && doomed(now, move.target, k);
        }
        if (rows) {
            take("abort: rows on " + move.target + " are deleted", s -> delete(s, move.target));
            return;
        }
        boolean folds = !move.ofBucket() && fold(move.source, move.key());
        if (!restore() && !folds) {
            end();
        }
    }

    private boolean doomed(OverrideState s, int shard, int key) {
        boolean spared = move.ofBucket() && s.key[key][shard].present() && mutant != OverrideMutant.LATECLEANER;
        return (move.ofBucket() || move.key() == key) && !spared && s.version[key][shard] != OverrideState.NO_ROW;
    }

    private void delete(OverrideState s, int shard) {
        for (int k = 0; k < OverrideState.KEYS; k++) {
            if (doomed(s, shard, k)) {
                s.version[k][shard] = OverrideState.NO_ROW;
            }
        }
    }

    /** Behind the point of no return. */
    private void finish() {
        boolean rows = false;
        for (int k = 0; k < OverrideState.KEYS; k++) {
            rows |= source.is(Fence.MOVED, move.epoch + 1, id) && doomed(now, move.source, k);
        }
        if (rows) {
            take("cleanup deletes the rows on " + move.source, s -> delete(s, move.source));
            if (extra == Extra.LATE_MOVERS && move.ofBucket()) {
                freeze(Frozen.CLEAN, move.source);
            }
            return;
        }
        boolean folds = !move.ofBucket() && fold(move.target, move.key());
        if (!drop() && !folds) {
            end();
        }
    }

    /** K4, where the key lives beside its bucket. */
    private boolean fold(int shard, int key) {
        Row row = now.key[key][shard];
        boolean again = mutant == OverrideMutant.DOUBLEDECREMENT && !row.present() && now.overrides[shard] > 0;
        boolean any = mutant == OverrideMutant.FOLDNOCAS && row.present();
        boolean owned = row.state == Fence.OWNED;
        boolean free = now.bucketFree(shard) && now.keyFree(shard, key);
        if (!now.owns(shard) || !(owned || any || again)) {
            return false;
        }
        if (free) {
            take("K4: folds key " + key + " back on " + shard, s -> {
                OverrideModel.fold(s, shard, key, mutant);
                if (mutant == OverrideMutant.DOUBLEDECREMENT) {
                    s.overrides[shard] = Math.max(0, now.overrides[shard] - 1);
                }
            });
            if (extra == Extra.LATE_MOVERS && owned) {
                freeze(Frozen.FOLD, shard);
            }
        }
        return !again;
    }

    /** The tombstone that a key has left behind, where it has come home to the owner of its bucket. */
    private boolean drop() {
        boolean left = source.is(Fence.MOVED, move.epoch + 1, id);
        boolean home = now.owns(move.target) || mutant == OverrideMutant.DROPPEDABROAD;
        if (move.ofBucket() || !left || now.owns(move.source) || !home) {
            return false;
        }
        take("drops the tombstone on " + move.source, s -> row(s, move.source).remove());
        if (mutant == OverrideMutant.DROPUNCHECKED || mutant == OverrideMutant.DROPUNCLAIMED) {
            freeze(Frozen.DROP, move.source);
        }
        return true;
    }

    /** Of an abort: the owner of the bucket says again who owns the key. */
    private boolean restore() {
        boolean against = target.is(Fence.ABORTED, move.epoch, id) && source.state == Fence.OWNED;
        if (move.ofBucket() || !against || !now.owns(move.target)) {
            return false;
        }
        take(
                "abort: a tombstone again on " + move.target,
                s -> row(s, move.target).pointTo(move.source, source.epoch, 0));
        return true;
    }

    private void end() {
        take("ends", s -> {
            for (int shard = 0; shard < OverrideState.SHARDS; shard++) {
                forget(s.bucket[shard]);
                forget(s.key[0][shard]);
                forget(s.key[1][shard]);
            }
            s.move[slot] = new Move();
        });
    }

    private void forget(Row row) {
        if (row.move == id) {
            row.move = 0;
        }
    }
}
