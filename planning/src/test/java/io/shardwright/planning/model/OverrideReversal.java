package io.shardwright.planning.model;

import io.shardwright.planning.model.OverrideState.Fence;
import io.shardwright.planning.model.OverrideState.Move;
import io.shardwright.planning.model.OverrideState.Row;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** The way back of a move in {@link OverrideModel} (section 7): the same move with its sides swapped, without a copy. */
final class OverrideReversal {
    private final int slot;
    private final Move move;
    private final Row source;
    private final Row target;
    private final BiFunction<OverrideState, Integer, Row> rows;
    private final BiConsumer<String, Consumer<OverrideState>> step;

    /** @param rows the row of what moves, in a state and on a shard; @param step takes a step of the move */
    OverrideReversal(
            OverrideState now,
            int slot,
            BiFunction<OverrideState, Integer, Row> rows,
            BiConsumer<String, Consumer<OverrideState>> step) {
        this.slot = slot;
        this.rows = rows;
        this.step = step;
        move = now.move[slot];
        source = rows.apply(now, move.source);
        target = rows.apply(now, move.target);
    }

    /** Activated, and no cleanup has begun. */
    boolean open() {
        int id = slot + 1;
        return !move.cleaning
                && source.is(Fence.MOVED, move.epoch + 1, id)
                && target.is(Fence.OWNED, move.epoch + 1, id);
    }

    void steps(OverrideState now) {
        boolean behind = false;
        for (int k = 0; k < OverrideState.KEYS; k++) {
            behind |= move.takes(k) && now.version[k][move.source] != now.version[k][move.target];
        }
        if (behind) {
            step.accept("applies the stream back", s -> {
                for (int k = 0; k < OverrideState.KEYS; k++) {
                    if (move.takes(k)) {
                        s.version[k][move.source] = s.version[k][move.target];
                    }
                }
            });
        }
        step.accept("cleanup begins", s -> s.move[slot].cleaning = true);
        if (!move.turned) {
            step.accept("is taken back", s -> {
                rows.apply(s, move.source).set(Fence.IMPORTING, move.epoch + 1, slot + 1);
                swap(s.move[slot]);
                s.move[slot].reversal = true;
                s.move[slot].turned = true;
            });
        }
    }

    /** The reversal was decided against, and its source owns what it moves with a higher epoch. */
    void giveUp() {
        step.accept("abort of the reversal: a tombstone again on " + move.target, s -> {
            rows.apply(s, move.target).pointTo(move.source, move.epoch + 2, slot + 1);
            swap(s.move[slot]);
            s.move[slot].reversal = false;
            s.move[slot].aborting = false;
        });
    }

    private static void swap(Move move) {
        int there = move.source;
        move.source = move.target;
        move.target = there;
        move.epoch++;
    }
}
