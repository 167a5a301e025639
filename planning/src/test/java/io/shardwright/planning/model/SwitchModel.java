package io.shardwright.planning.model;

import io.shardwright.planning.model.SwitchState.Fence;
import io.shardwright.planning.model.SwitchState.Writer;
import io.shardwright.planning.model.SwitchState.Writes;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One bucket moves from a source S (side 0) to a target T (side 1), statement by statement: two writers of one row with
 * arbitrarily stale routes, two movers that may both be alive, crashes, lost sessions, an abort at any time, a reader with
 * a table, cleanup. Servers keep what they have committed here; losing commits is the matter of {@link FailoverModel}.
 *
 * <p>Abstractions: one row with versions in the order of commits, so a lost write is a row below the newest acknowledged
 * version; the stream is an index into the log of S; the clocks of drain and watchdog are choices.
 *
 * <p>In a scope of its own S stops to take writes, for a while or for ever, and its log may be lost: {@link SwitchResync}. A source
 * that stops between the abort's question and its reclaim leaves nobody until it takes writes again; every other state has a way out.
 */
final class SwitchModel implements Model {
    private static final String[] SIDE = {"S", "T"};

    private final SwitchMutant mutant;
    private final int writes;
    private final int crashes;
    private final Source source;

    /** Whether S always takes writes. */
    enum Source {
        WRITABLE,
        READ_ONLY_FOR_A_WHILE,
        READ_ONLY_FOR_EVER
    }

    SwitchModel(SwitchMutant mutant, int writes, int crashes) {
        this(mutant, writes, crashes, Source.WRITABLE);
    }

    private SwitchModel(SwitchMutant mutant, int writes, int crashes, Source source) {
        this.mutant = mutant;
        this.writes = writes;
        this.crashes = crashes;
        this.source = source;
    }

    SwitchModel withSource(Source wanted) {
        return new SwitchModel(mutant, writes, crashes, wanted);
    }

    @Override
    public int width() {
        return 2;
    }

    @Override
    public long[] initial() {
        return new SwitchState().packed();
    }

    @Override
    public Optional<String> violation(long[] words) {
        SwitchState s = SwitchState.of(words);
        if (s.owns(0) && s.owns(1)) {
            return Optional.of("TWO OWNERS (I1)");
        }
        for (int side = 0; side < 2; side++) {
            if (s.owns(side) && s.row[side] != s.newest) {
                return Optional.of("LOST WRITE (I2): " + SIDE[side] + " owns without version " + s.newest);
            }
        }
        boolean readsSource = s.reading == 1 || !s.readerKnows;
        return readsSource && s.row[0] == SwitchState.NO_ROW
                ? Optional.of("EMPTY READ (I9): a stale router reads a source that was cleaned")
                : Optional.empty();
    }

    @Override
    public List<Goal> goals() {
        return List.of(new Goal("an owner", words -> {
            SwitchState s = SwitchState.of(words);
            boolean awaitsSource = s.fence[1] == Fence.ABORTED && s.fence[0] == Fence.MOVED && s.refusesWrites();
            return s.owns(0) || s.owns(1) || awaitsSource && s.abortSeen;
        }));
    }

    @Override
    public void steps(long[] words, Steps steps) {
        SwitchState now = SwitchState.of(words);
        Step step = new Step(words, steps);
        for (int i = 0; i < SwitchState.WRITERS; i++) {
            writer(now, i, step);
        }
        for (int i = 0; i < SwitchState.MOVERS; i++) {
            new SwitchMover(mutant, crashes, now, i, step).steps();
        }
        if (source != Source.WRITABLE) {
            readOnly(now, step);
        }
        abort(now, step);
        routers(now, step);
    }

    /** Takes a step on a fresh copy of the state. */
    record Step(long[] words, Steps steps) {
        void take(String label, Consumer<SwitchState> change) {
            SwitchState next = SwitchState.of(words);
            change.accept(next);
            steps.add(label, next.packed());
        }
    }

    private void writer(SwitchState now, int i, Step step) {
        int side = now.writerSide[i];
        String who = "a writer"; // two are alike, so a number would say nothing
        switch (now.writer[i]) {
            case IDLE -> {
                if (now.newest + now.inFlight() < writes) {
                    begin(i, 0, who, step);
                    begin(i, 1, who, step);
                }
            }
            case BEGUN -> {
                if (mutant == SwitchMutant.NOLOCK || now.exclusiveFree(side)) {
                    step.take(who + " has the shared lock of " + SIDE[side], s -> s.writer[i] = Writer.LOCKED);
                }
                if (mutant == SwitchMutant.ZEROROW && now.row[side] == SwitchState.NO_ROW) {
                    step.take(who + " updates 0 rows on " + SIDE[side] + ", is told that it is done", s -> {
                        s.newest++;
                        idle(s, i);
                    });
                }
            }
            case LOCKED -> check(now, i, who, step);
            case CHECKED -> {
                if (side == 0 && now.refusesWrites()) {
                    step.take(who + " is told that S takes no writes", s -> idle(s, i));
                    return;
                }
                step.take(who + " commits version " + (now.newest + 1) + " on " + SIDE[side], s -> {
                    s.newest++;
                    s.row[side] = s.newest;
                    if (side == 0) {
                        s.append(s.newest);
                    }
                    idle(s, i);
                });
            }
        }
    }

    private void begin(int i, int side, String who, Step step) {
        step.take(who + " begins on " + SIDE[side], s -> {
            s.writer[i] = Writer.BEGUN;
            s.writerSide[i] = side;
            s.writerSaw[i] = mutant == SwitchMutant.RRSTALE && s.owns(side);
        });
    }

    private void check(SwitchState now, int i, String who, Step step) {
        int side = now.writerSide[i];
        boolean passes = mutant == SwitchMutant.RRSTALE ? now.writerSaw[i] : now.owns(side);
        if (mutant == SwitchMutant.TARGETNOCHECK && side == 1) {
            passes = true;
        }
        if (passes) {
            step.take(who + " passes the fence of " + SIDE[side], s -> s.writer[i] = Writer.CHECKED);
        } else {
            step.take(who + " is refused by " + SIDE[side], s -> idle(s, i));
        }
    }

    private static void idle(SwitchState s, int i) {
        s.writer[i] = Writer.IDLE;
        s.writerSide[i] = 0;
        s.writerSaw[i] = false;
    }

    private void abort(SwitchState now, Step step) {
        if (mutant == SwitchMutant.ABORTNOCAS) {
            if (!now.abortSeen && now.fence[0] == Fence.MOVED && now.fence[1] != Fence.OWNED) {
                step.take("abort sees that T does not own", s -> s.abortSeen = true);
            }
            if (now.abortSeen && now.fence[0] == Fence.MOVED) {
                step.take("abort reclaims S without a compare-and-swap", s -> s.fence[0] = Fence.OWNED_AGAIN);
            }
            return;
        }
        boolean asked = now.abortSeen || source == Source.WRITABLE || mutant == SwitchMutant.ABORTUNPROBED;
        if (now.fence[1] == Fence.IMPORTING && asked) {
            step.take("abort: FT to ABORTED", s -> s.fence[1] = Fence.ABORTED);
        } else if (now.fence[1] == Fence.IMPORTING && !now.refusesWrites()) {
            step.take("abort: finds that S takes writes", s -> s.abortSeen = true);
        }
        boolean behind = now.fence[0] == Fence.MOVED || (now.fence[0] == Fence.OWNED && now.exclusiveFree(0));
        if (now.fence[1] == Fence.ABORTED && behind && !now.refusesWrites()) {
            step.take("abort: S owns with epoch e+2", s -> s.fence[0] = Fence.OWNED_AGAIN);
        }
    }

    private void readOnly(SwitchState now, Step step) {
        if (now.writes == Writes.TAKEN) {
            step.take("S takes no writes", s -> s.writes = Writes.REFUSED);
        } else if (now.refusesWrites() && source == Source.READ_ONLY_FOR_A_WHILE) {
            step.take("S takes writes again", s -> s.writes = Writes.TAKEN_AGAIN);
        }
        if (!now.logLost && now.position != SwitchState.NO_POSITION) {
            step.take("the log of S is lost", s -> s.logLost = true);
        }
        if (now.fence[0] == Fence.OWNED_AGAIN && now.fence[1] == Fence.ABORTED) {
            step.take("another move begins to fill T", s -> s.fence[1] = Fence.IMPORTING_OTHER);
        }
        for (int i = 0; i < SwitchState.MOVERS && mutant != SwitchMutant.NORESYNC; i++) {
            new SwitchResync(mutant, now, i, 2 * SwitchState.MOVERS + crashes, step).steps();
        }
    }

    private void routers(SwitchState now, Step step) {
        boolean moved = now.fence[1] == Fence.OWNED && now.fence[0] == Fence.MOVED;
        if (moved && !now.published) {
            step.take("the folded table is published", s -> s.published = true);
        }
        if (now.published && !now.readerKnows) {
            step.take("the reader applies the folded table", s -> s.readerKnows = true);
        }
        if (now.reading == 0) {
            step.take("the reader begins", s -> s.reading = s.readerKnows ? 2 : 1);
        } else {
            step.take("the reader ends", s -> s.reading = 0);
        }
        boolean acknowledged = now.readerKnows && now.reading != 1;
        boolean gate = acknowledged || mutant == SwitchMutant.CLEANUPNOACK;
        if (moved && now.published && gate && now.row[0] != SwitchState.NO_ROW && !now.refusesWrites()) {
            step.take("cleanup deletes the rows on S", s -> s.row[0] = SwitchState.NO_ROW);
        }
    }
}
