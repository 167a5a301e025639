package io.shardwright.planning.model;

import java.util.Arrays;

/** One state of {@link ReversalModel}, unpacked. Row versions: 0 is there from the start, {@link #NO_ROW} is no row. */
final class ReversalState {
    static final int NO_ROW = 7;
    static final int NO_POSITION = 15;
    /** a position in the log of a slot that has been dropped since */
    static final int OLD_POSITION = 14;

    static final int NOBODY = 0;
    static final int WRITERS = 2;
    static final int MOVERS = 2;

    /** Entries of the log of T: 1-3 are a client's versions. */
    static final int MOVERS_VERSION = 4;

    static final int DELETION = 8;
    static final int COPY = 9;
    static final int ACTIVATION = 13;
    static final int MARKER = 14;
    static final int RECLAIM = 15;

    enum Source {
        OWNED_0,
        MOVED_1,
        RECLAIMED_2,
        IMPORTING_BACK,
        ABORTED_BACK,
        OWNED_2,
        MOVED_3
    }

    enum Target {
        ABSENT,
        IMPORTING,
        ABORTED,
        OWNED_1,
        MOVED_2,
        OWNED_3
    }

    enum There {
        IDLE,
        PREPARED,
        EMPTIED,
        STREAMING,
        SOURCE_LOCKED,
        FENCED
    }

    enum Back {
        IDLE,
        TOKEN_ON_S,
        CLAIMED_ON_T,
        MAKES_SLOT,
        HAS_SLOT,
        IN_TIME,
        STREAMING,
        TARGET_LOCKED,
        FENCED
    }

    Source source = Source.OWNED_0;
    Target target = Target.ABSENT;
    final int[] row = {0, NO_ROW};
    int newest;
    /** what each writer has entered: 0 nothing, 1 S, 2 T */
    final int[] writer = {0, 0};

    final Way there = new Way();
    final Way back = new Way();
    final There[] mover = {There.IDLE, There.IDLE};
    final Back[] follower = {Back.IDLE, Back.IDLE};
    /** the token that may fence T */
    int claim = NOBODY;

    boolean slot;
    /** the log of T from the start of the slot */
    int[] log = new int[0];
    /** 0 S, 1 T, 2 S again */
    int published;

    int readerKnows;
    boolean cleaning;
    boolean ended;

    /** The progress row of a direction, and what its movers hold in memory. */
    static final class Way {
        int token = NOBODY;
        int position = NO_POSITION;
        int tokens;
        final int[] own = {NOBODY, NOBODY};
        final int[] read = {0, 0};

        int newToken(int i) {
            tokens++;
            token = tokens;
            own[i] = tokens;
            return tokens;
        }

        boolean mine(int i) {
            return token == own[i];
        }

        private void put(Bits bits) {
            bits.put(token, 2).put(position, 4).put(tokens, 2);
        }

        private void get(Bits bits) {
            token = bits.get(2);
            position = bits.get(4);
            tokens = bits.get(2);
        }
    }

    private static final Source[] SOURCES = Source.values();
    private static final Target[] TARGETS = Target.values();
    private static final There[] THERE = There.values();
    private static final Back[] BACK = Back.values();

    static ReversalState of(long[] words) {
        ReversalState s = new ReversalState();
        Bits bits = new Bits(words);
        s.source = SOURCES[bits.get(3)];
        s.target = TARGETS[bits.get(3)];
        s.row[0] = bits.get(3);
        s.row[1] = bits.get(3);
        s.newest = bits.get(2);
        s.there.get(bits);
        s.back.get(bits);
        for (int i = 0; i < MOVERS; i++) {
            s.writer[i] = bits.get(2);
            int there = bits.get(8);
            s.mover[i] = THERE[there >> 4];
            s.there.own[i] = there >> 2 & 3;
            s.there.read[i] = there & 3;
            int back = bits.get(10);
            s.follower[i] = BACK[back >> 6];
            s.back.own[i] = back >> 4 & 3;
            s.back.read[i] = back & 15;
        }
        s.claim = bits.get(2);
        s.slot = bits.get();
        s.published = bits.get(2);
        s.readerKnows = bits.get(2);
        s.cleaning = bits.get();
        s.ended = bits.get();
        s.log = new int[bits.get(4)];
        for (int i = 0; i < s.log.length; i++) {
            s.log[i] = bits.get(4);
        }
        return s;
    }

    long[] packed() {
        forgetTheWayThere();
        forgetWhatIsRead();
        long[] words = new long[3];
        Bits bits = new Bits(words);
        bits.put(source.ordinal(), 3).put(target.ordinal(), 3);
        bits.put(row[0], 3).put(row[1], 3).put(newest, 2);
        there.put(bits);
        back.put(bits);
        // two of a kind are alike: one order is enough
        int[] writers = sorted(writer[0], writer[1]);
        int[] movers = sorted(packedMover(0), packedMover(1));
        int[] followers = sorted(packedFollower(0), packedFollower(1));
        for (int i = 0; i < MOVERS; i++) {
            bits.put(writers[i], 2).put(movers[i], 8).put(followers[i], 10);
        }
        bits.put(claim, 2)
                .put(slot)
                .put(published, 2)
                .put(readerKnows, 2)
                .put(cleaning)
                .put(ended);
        bits.put(log.length, 4);
        for (int entry : log) {
            bits.put(entry, 4);
        }
        return words;
    }

    private int packedMover(int i) {
        return mover[i].ordinal() << 4 | there.own[i] << 2 | there.read[i];
    }

    private int packedFollower(int i) {
        return follower[i].ordinal() << 6 | back.own[i] << 4 | back.read[i];
    }

    private static int[] sorted(int a, int b) {
        return a <= b ? new int[] {a, b} : new int[] {b, a};
    }

    boolean sourceOwns() {
        return source == Source.OWNED_0 || source == Source.RECLAIMED_2 || source == Source.OWNED_2;
    }

    boolean targetOwns() {
        return target == Target.OWNED_1 || target == Target.OWNED_3;
    }

    /** S points to T. */
    boolean tombstone() {
        return source == Source.MOVED_1 || source == Source.MOVED_3;
    }

    boolean wayBackStands() {
        return back.position != NO_POSITION || back.token != NOBODY;
    }

    private boolean reads(int i) {
        return follower[i].compareTo(Back.STREAMING) >= 0;
    }

    boolean sourceLocked() {
        return mover[0] == There.SOURCE_LOCKED || mover[1] == There.SOURCE_LOCKED;
    }

    boolean targetLocked() {
        return follower[0] == Back.TARGET_LOCKED || follower[1] == Back.TARGET_LOCKED;
    }

    boolean drained(int side) {
        return writer[0] != side + 1 && writer[1] != side + 1;
    }

    /** A slot keeps the log from its start on; without one nobody reads it. */
    void logOfTarget(int entry) {
        if (slot) {
            log = Arrays.copyOf(log, log.length + 1);
            log[log.length - 1] = entry;
        }
    }

    void endMover(int i) {
        mover[i] = There.IDLE;
        there.own[i] = NOBODY;
        there.read[i] = 0;
    }

    void endFollower(int i) {
        follower[i] = Back.IDLE;
        back.own[i] = NOBODY;
        back.read[i] = 0;
    }

    /** Where T has owned or S has reclaimed, a mover of the way there can only be refused: alike with one that ended. */
    private void forgetTheWayThere() {
        if (target.compareTo(Target.OWNED_1) >= 0 || source == Source.RECLAIMED_2) {
            for (int i = 0; i < MOVERS; i++) {
                endMover(i);
            }
            there.token = NOBODY;
            there.position = NO_POSITION;
            there.tokens = 0;
        }
    }

    /** Positions are only compared, and nobody goes back in a log: what all have read is cut off. */
    private void forgetWhatIsRead() {
        boolean read = false;
        int first = log.length;
        for (int i = 0; i < MOVERS; i++) {
            if (reads(i)) {
                first = Math.min(first, back.read[i]);
                read = true;
            }
        }
        if (back.position < OLD_POSITION) {
            first = Math.min(first, back.position);
            back.position -= first;
        } else if (slot) {
            first = 0;
        }
        for (int i = 0; read && i < MOVERS; i++) {
            if (reads(i)) {
                back.read[i] -= first;
            }
        }
        log = Arrays.copyOfRange(log, first, log.length);
    }
}
