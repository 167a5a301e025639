package io.shardwright.planning.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One bucket that S has fenced and T has activated, where asynchronous standbys are accepted: one failover of each side may take
 * that away. Two movers may close the older owner, each of which looks, waits for the lock, looks again and writes, and may
 * freeze anywhere; a stale writer writes where he is let in; a mover decides against what was not activated; another one
 * deletes rows of the source; and one person looks at what was closed.
 *
 * <p>Two owners are what it is about, so they are no violation. What follows from them must not be worse: nobody writes on an
 * owner that was closed, no row is deleted that only he has, epochs only grow, the newer one stays, and from every state
 * there is a way to one owner.
 */
final class DemotionModel implements Model {
    private static final int ABORTED = 1;
    private static final int IMPORTING = 2;
    private static final int MOVED = 3;
    private static final int OWNED = 4;

    private final DemotionMutant mutant;
    private final boolean equalEpochs;

    /** @param equalEpochs a restore has made S an owner with the epoch of T */
    DemotionModel(DemotionMutant mutant, boolean equalEpochs) {
        this.mutant = mutant;
        this.equalEpochs = equalEpochs;
    }

    /** Where a mover stands that closes an owner; {@code FREE} after it has ended. */
    private enum Closer {
        FREE,
        LOOKED,
        LOCKED,
        /** has looked once more behind the lock */
        SURE,
        CLOSED
    }

    /** One state, unpacked. */
    private static final class State {
        final int[] fence = new int[2];
        final int[] epoch = new int[2];
        final boolean[] failedOver = new boolean[2];
        final Closer[] closer = {Closer.FREE, Closer.FREE};
        /** the side that a closer has found to be the older one, and its epoch */
        final int[] older = new int[2];

        final int[] seenEpoch = new int[2];
        final int[] ownersEpoch = new int[2];
        /** a writer is inside of S, and has passed the check */
        boolean inside;
        /** S has a row that T has not */
        boolean stray;

        boolean kept;
        boolean looked;
        String wrong = "";

        private static final String[] WRONG = {
            "",
            "a write on an owner that was closed",
            "a row is deleted that only the older owner had",
            "an epoch has gone back",
            "the newer owner was closed"
        };

        static State of(long[] words) {
            State s = new State();
            Bits bits = new Bits(words);
            for (int i = 0; i < 2; i++) {
                s.fence[i] = bits.get(3);
                s.epoch[i] = bits.get(3);
                s.failedOver[i] = bits.get();
                s.closer[i] = Closer.values()[bits.get(3)];
                s.older[i] = bits.get(1);
                s.seenEpoch[i] = bits.get(3);
                s.ownersEpoch[i] = bits.get(3);
            }
            s.inside = bits.get();
            s.stray = bits.get();
            s.kept = bits.get();
            s.looked = bits.get();
            s.wrong = WRONG[bits.get(3)];
            return s;
        }

        long[] packed() {
            long[] words = new long[1];
            Bits bits = new Bits(words);
            for (int i = 0; i < 2; i++) {
                bits.put(fence[i], 3)
                        .put(epoch[i], 3)
                        .put(failedOver[i])
                        .put(closer[i].ordinal(), 3)
                        .put(older[i], 1)
                        .put(seenEpoch[i], 3)
                        .put(ownersEpoch[i], 3);
            }
            bits.put(inside).put(stray).put(kept).put(looked).put(List.of(WRONG).indexOf(wrong), 3);
            return words;
        }

        boolean owns(int side) {
            return fence[side] == OWNED;
        }

        boolean locked(int side) {
            return holds(0, side) || holds(1, side);
        }

        private boolean holds(int i, int side) {
            return (closer[i] == Closer.LOCKED || closer[i] == Closer.SURE) && older[i] == side;
        }

        void write(int side, int state, int next) {
            wrong = next < epoch[side] ? "an epoch has gone back" : wrong;
            fence[side] = state;
            epoch[side] = next;
        }
    }

    @Override
    public int width() {
        return 1;
    }

    @Override
    public long[] initial() {
        State s = new State();
        s.fence[0] = MOVED;
        s.fence[1] = OWNED;
        s.epoch[0] = 2;
        s.epoch[1] = 2;
        return s.packed();
    }

    @Override
    public Optional<String> violation(long[] words) {
        return Optional.of(State.of(words).wrong).filter(wrong -> !wrong.isEmpty());
    }

    @Override
    public List<Goal> goals() {
        Goal one = new Goal("one owner", words -> {
            State s = State.of(words);
            boolean leftToAPerson = s.owns(0) && s.owns(1) && s.epoch[0] == s.epoch[1];
            return s.owns(0) != s.owns(1) || leftToAPerson;
        });
        Goal free = new Goal("a bucket that nobody keeps", words -> !State.of(words).kept);
        return List.of(one, free);
    }

    @Override
    public void steps(long[] words, Steps steps) {
        State now = State.of(words);
        Step step = new Step(words, steps);
        failovers(now, step);
        writer(now, step);
        for (int i = 0; i < 2; i++) {
            closer(now, i, step);
        }
        decide(now, step);
        cleanUp(now, step);
        if (now.kept) {
            step.take("a person has looked at the rows of the older owner", s -> {
                s.kept = false;
                s.looked = true;
            });
        }
    }

    private record Step(long[] words, Steps steps) {
        void take(String label, Consumer<State> change) {
            State next = State.of(words);
            change.accept(next);
            steps.add(label, next.packed());
        }
    }

    /** What was written last is lost: the fence with what followed it, the activation with what followed that. */
    private void failovers(State now, Step step) {
        if (!now.failedOver[0] && now.fence[0] == MOVED) {
            step.take("FAILOVER of S: the fence is lost", s -> {
                s.failedOver[0] = true;
                s.fence[0] = OWNED;
                s.epoch[0] = equalEpochs ? 2 : 1;
                s.kept = false;
                s.inside = false;
                s.stray = false;
            });
        }
        if (!now.failedOver[1] && now.fence[1] == OWNED) {
            step.take("FAILOVER of T: the activation is lost", s -> {
                s.failedOver[1] = true;
                s.fence[1] = IMPORTING;
                s.epoch[1] = 1;
            });
        }
    }

    private void writer(State now, Step step) {
        if (now.inside) {
            step.take("the stale writer commits on S", s -> {
                s.inside = false;
                s.stray = true;
                s.looked = false;
                s.wrong = s.owns(0) ? s.wrong : "a write on an owner that was closed";
            });
        } else if (now.owns(0) && !now.locked(0)) {
            step.take("a stale writer enters S", s -> s.inside = true);
        }
    }

    private void closer(State now, int i, Step step) {
        String who = "mover " + i;
        switch (now.closer[i]) {
            case FREE -> look(now, i, step);
            case LOOKED -> {
                boolean drained = now.older[i] == 1 || !now.inside || mutant == DemotionMutant.NODRAIN;
                if (drained && !now.locked(now.older[i])) {
                    step.take(who + " has the lock of " + name(now.older[i]), s -> s.closer[i] = Closer.LOCKED);
                }
            }
            case LOCKED -> {
                boolean twice = now.owns(0) && now.owns(1) && now.epoch[now.older[i]] == now.seenEpoch[i];
                if (twice) {
                    step.take(who + " still sees two owners", s -> s.closer[i] = Closer.SURE);
                }
                step.take(who + " gives up", s -> s.closer[i] = Closer.FREE);
            }
            case SURE -> {
                int side = now.older[i];
                boolean same = now.owns(side) && now.epoch[side] == now.seenEpoch[i];
                if (same || mutant == DemotionMutant.NOCAS) {
                    step.take(who + " closes " + name(side), s -> close(s, i));
                }
                step.take(who + " loses the lock", s -> s.closer[i] = Closer.FREE);
            }
            case CLOSED -> {
                step.take(who + " writes what keeps the rows", s -> {
                    s.kept = true;
                    s.closer[i] = Closer.FREE;
                });
                step.take(who + " dies", s -> s.closer[i] = Closer.FREE);
            }
        }
    }

    private void look(State now, int i, Step step) {
        boolean twice = now.owns(0) && now.owns(1);
        boolean equal = now.epoch[0] == now.epoch[1];
        if (!twice || (equal && mutant != DemotionMutant.EQUAL)) {
            return;
        }
        int older = now.epoch[0] < now.epoch[1] == (mutant != DemotionMutant.HIGHER) ? 0 : 1;
        step.take("mover " + i + " sees two owners", s -> {
            s.closer[i] = Closer.LOOKED;
            s.older[i] = equal ? i : older;
            s.seenEpoch[i] = s.epoch[s.older[i]];
            s.ownersEpoch[i] = s.epoch[1 - s.older[i]];
        });
    }

    private void close(State s, int i) {
        int side = s.older[i];
        boolean newer = s.owns(1 - side) && s.epoch[side] > s.epoch[1 - side];
        s.write(side, MOVED, newer ? s.epoch[side] : s.ownersEpoch[i]);
        s.wrong = newer ? "the newer owner was closed" : s.wrong;
        s.kept |= mutant != DemotionMutant.RECORDLATER;
        s.closer[i] = mutant == DemotionMutant.RECORDLATER ? Closer.CLOSED : Closer.FREE;
    }

    private static String name(int side) {
        return side == 0 ? "S" : "T";
    }

    /** What was not activated, or is not any more, is decided against; S has the bucket again with an epoch above the fence's. */
    private static void decide(State now, Step step) {
        if (now.fence[1] == IMPORTING) {
            step.take("abort: T is ABORTED", s -> s.fence[1] = ABORTED);
        }
        if (now.fence[1] == ABORTED && now.epoch[0] < 3) {
            step.take("abort: S owns with a higher epoch", s -> s.write(0, OWNED, 3));
        }
    }

    private void cleanUp(State now, Step step) {
        boolean moved = now.fence[0] == MOVED && now.owns(1);
        if (moved && (!now.kept || mutant == DemotionMutant.UNSEEN)) {
            step.take("cleanup deletes the rows on S", s -> {
                s.wrong = s.stray && !s.looked ? "a row is deleted that only the older owner had" : s.wrong;
                s.stray = false;
            });
        }
    }
}
