package io.shardwright.planning.model;

import io.shardwright.planning.model.ReversalState.Source;
import io.shardwright.planning.model.ReversalState.Target;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The way back of a move: one bucket moves from S (side 0) to T (side 1), a stream back is made ready before the fence and
 * follows, and the bucket is taken back by a move of its own, or the reversal is aborted, or S is cleaned up. Two movers
 * and two movers of the way back may be alive at once, each may crash, the leader may abort, dismiss and clean up at any
 * time its checks allow, a reader has a table. Servers keep what they have committed; one statement of the operator that
 * concerns two databases is two steps.
 *
 * <p>Abstractions: one row with versions in the order of commits, as in {@link SwitchModel}, which also covers how a writer
 * passes the fence; the stream there is a version, since only S writes then; the stream back is an index into the log of T
 * from the start of its slot. A mover that is refused ends. Losing commits is the matter of {@link FailoverModel}.
 */
final class ReversalModel implements Model {
    private static final String[] SIDE = {"S", "T"};

    private final ReversalMutant mutant;
    private final int writes;
    private final int tokensThere;
    private final int tokensBack;

    /** @param tokensThere how many movers of the way there are started, @param tokensBack and of the way back */
    ReversalModel(ReversalMutant mutant, int writes, int tokensThere, int tokensBack) {
        this.mutant = mutant;
        this.writes = writes;
        this.tokensThere = tokensThere;
        this.tokensBack = tokensBack;
    }

    @Override
    public int width() {
        return 3;
    }

    @Override
    public long[] initial() {
        return new ReversalState().packed();
    }

    @Override
    public Optional<String> violation(long[] words) {
        ReversalState s = ReversalState.of(words);
        if (s.sourceOwns() && s.targetOwns()) {
            return Optional.of("TWO OWNERS (I1)");
        }
        int owner = s.sourceOwns() ? 0 : 1;
        if ((s.sourceOwns() || s.targetOwns()) && s.row[owner] != s.newest) {
            return Optional.of("LOST WRITE (I2): " + SIDE[owner] + " owns without version " + s.newest);
        }
        boolean again = s.source == Source.MOVED_3;
        if (s.targetOwns() && s.tombstone() && again != (s.target == Target.OWNED_3)) {
            return Optional.of("EPOCHS APART (I3): the tombstone of S has not the epoch of the owner");
        }
        if (s.row[s.readerKnows % 2] == ReversalState.NO_ROW) {
            return Optional.of("EMPTY READ (I9): a stale router reads a shard that was cleaned");
        }
        return s.ended && !atAnEnd(s) ? Optional.of("LEFT BEHIND after the end") : Optional.empty();
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                new Goal("an owner", words -> {
                    ReversalState s = ReversalState.of(words);
                    return s.sourceOwns() || s.targetOwns();
                }),
                new Goal("an end", words -> ReversalState.of(words).ended));
    }

    @Override
    public void steps(long[] words, Steps steps) {
        ReversalState now = ReversalState.of(words);
        Step step = new Step(words, steps);
        for (int i = 0; i < ReversalState.WRITERS; i++) {
            writer(now, i, step);
        }
        for (int i = 0; i < ReversalState.MOVERS; i++) {
            new ReversalThere(mutant, tokensThere, now, i, step).steps();
            new ReversalBack(mutant, tokensBack, now, i, step).steps();
        }
        abortThere(now, step);
        abortBack(now, step);
        routers(now, step);
        cleanUp(now, step);
        if (now.slot) {
            step.take("the slot on T is lost", s -> s.slot = false);
        }
    }

    /** Takes a step on a fresh copy of the state. */
    record Step(long[] words, Steps steps) {
        void take(String label, Consumer<ReversalState> change) {
            ReversalState next = ReversalState.of(words);
            change.accept(next);
            steps.add(label, next.packed());
        }
    }

    private void writer(ReversalState now, int i, Step step) {
        boolean[] open = {now.sourceOwns() && !now.sourceLocked(), now.targetOwns() && !now.targetLocked()};
        if (now.writer[i] != 0) {
            int side = now.writer[i] - 1;
            int version = now.newest + 1;
            step.take("a writer commits version " + version + " on " + SIDE[side], s -> {
                s.newest = version;
                s.row[side] = version;
                if (side == 1) {
                    s.logOfTarget(version);
                }
                s.writer[i] = 0;
            });
        } else if (now.newest + (now.drained(0) && now.drained(1) ? 0 : 1) < writes) {
            for (int side = 0; side < 2; side++) {
                int entered = side + 1;
                if (open[side]) {
                    step.take("a writer enters " + SIDE[side], s -> s.writer[i] = entered);
                }
            }
        }
    }

    /** The compare-and-swap on FT, then S with a higher epoch in any case, then what was copied goes. */
    private static void abortThere(ReversalState now, Step step) {
        if (now.target == Target.IMPORTING) {
            step.take("abort: FT to ABORTED", s -> s.target = Target.ABORTED);
        }
        if (now.target != Target.ABORTED) {
            return;
        }
        if (now.source == Source.MOVED_1 || now.source == Source.OWNED_0) {
            step.take("abort: S owns with epoch e+2", s -> s.source = Source.RECLAIMED_2);
        }
        if (now.row[1] != ReversalState.NO_ROW && now.readerKnows != 1) {
            step.take("abort: rows on T are deleted", s -> {
                s.row[1] = ReversalState.NO_ROW;
                s.logOfTarget(ReversalState.DELETION);
            });
        }
    }

    /** The compare-and-swap on FS, then T with epoch e+3 in any case, then the tombstone of S again. */
    private void abortBack(ReversalState now, Step step) {
        boolean begun = now.source == Source.IMPORTING_BACK;
        boolean against = now.source == Source.ABORTED_BACK;
        if (begun && !(now.cleaning && mutant == ReversalMutant.NORETURNBLOCKS)) {
            step.take("abort of the reversal: FS to ABORTED", s -> s.source = Source.ABORTED_BACK);
        }
        boolean decided = against || (begun && mutant == ReversalMutant.ABORTNOCAS);
        boolean fenced = now.target == Target.MOVED_2;
        boolean unbumped = now.target == Target.OWNED_1 && mutant != ReversalMutant.NOBUMP;
        if (decided && (fenced || unbumped)) {
            step.take("abort of the reversal: T owns with epoch e+3", s -> {
                s.target = Target.OWNED_3;
                s.logOfTarget(ReversalState.RECLAIM);
            });
        }
        if (against && mutant == ReversalMutant.ABORTDELETES && now.row[0] != ReversalState.NO_ROW) {
            step.take("abort of the reversal: rows on S are deleted", s -> s.row[0] = ReversalState.NO_ROW);
        }
        boolean unbumpable = now.target == Target.OWNED_1 && mutant == ReversalMutant.NOBUMP;
        boolean owns = now.target == Target.OWNED_3 || unbumpable || mutant == ReversalMutant.TOMBSTONEFIRST;
        if (against && owns && mutant != ReversalMutant.ABORTEDKEPT) {
            step.take("abort of the reversal: S is a tombstone again", s -> {
                boolean bumped = s.target != Target.OWNED_1;
                s.source = bumped ? Source.MOVED_3 : Source.MOVED_1;
            });
        }
    }

    private static void routers(ReversalState now, Step step) {
        if (now.targetOwns() && now.published == 0) {
            step.take("the table with T is published", s -> s.published = 1);
        }
        if (now.source == Source.OWNED_2 && now.published < 2) {
            step.take("the table with S again is published", s -> s.published = 2);
        }
        if (now.readerKnows < now.published) {
            step.take("the reader acknowledges the newest table", s -> s.readerKnows = s.published);
        }
    }

    private void cleanUp(ReversalState now, Step step) {
        boolean acknowledged = mutant == ReversalMutant.CLEANUPNOACK || now.readerKnows == now.published;
        boolean kept = now.targetOwns() && now.tombstone() && now.published == 1;
        if (kept && acknowledged && !now.cleaning) {
            step.take("cleanup: the point of no return is stored", s -> s.cleaning = true);
        }
        // a late follower may claim what is gone, but gets no position any more
        boolean dismissed = now.back.position == ReversalState.NO_POSITION || mutant == ReversalMutant.UNDISMISSED;
        if (now.cleaning && now.tombstone() && dismissed && now.row[0] != ReversalState.NO_ROW) {
            step.take("cleanup deletes the rows on S", s -> s.row[0] = ReversalState.NO_ROW);
        }
        boolean takenBack = now.source == Source.OWNED_2 && now.published == 2;
        if (takenBack && acknowledged && now.row[1] != ReversalState.NO_ROW) {
            step.take("cleanup deletes the rows on T", s -> {
                s.row[1] = ReversalState.NO_ROW;
                s.logOfTarget(ReversalState.DELETION);
            });
        }
        boolean down = takenBack || now.source == Source.RECLAIMED_2 || now.source == Source.MOVED_3;
        dismiss(now, down || now.cleaning, step);
        if (atAnEnd(now) && !now.ended && (!now.wayBackStands() || mutant == ReversalMutant.UNDISMISSED)) {
            step.take("END", s -> s.ended = true);
        }
    }

    /** The slot goes, then the progress row with its token, then the claim. */
    private static void dismiss(ReversalState now, boolean down, Step step) {
        if (down && now.slot) {
            step.take("the slot on T is dropped", s -> s.slot = false);
        } else if (down && now.wayBackStands()) {
            step.take("the progress row of the way back goes", s -> {
                s.back.token = ReversalState.NOBODY;
                s.back.position = ReversalState.NO_POSITION;
            });
        } else if (down && now.claim != ReversalState.NOBODY) {
            step.take("the claim on T goes", s -> s.claim = ReversalState.NOBODY);
        }
    }

    private static boolean atAnEnd(ReversalState s) {
        boolean aborted = s.source == Source.RECLAIMED_2 && s.target == Target.ABORTED;
        boolean moved = s.targetOwns() && s.tombstone();
        boolean takenBack = s.source == Source.OWNED_2 && s.target == Target.MOVED_2;
        return ((aborted || takenBack) && s.row[1] == ReversalState.NO_ROW)
                || (moved && s.row[0] == ReversalState.NO_ROW);
    }
}
