package io.shardwright.planning.model;

import java.util.Arrays;

/** One state of {@link SwitchModel}, unpacked. Row versions: 0 is there from the start, {@link #NO_ROW} is no row. */
final class SwitchState {
    static final int NO_ROW = 7;
    static final int NO_POSITION = 7;
    static final int NOBODY = 0;
    static final int WRITERS = 2;
    static final int MOVERS = 2;

    enum Fence {
        ABSENT,
        OWNED,
        MOVED,
        IMPORTING,
        ABORTED,
        OWNED_AGAIN,
        /** of another move, which came after an abort */
        IMPORTING_OTHER
    }

    enum Writer {
        IDLE,
        BEGUN,
        LOCKED,
        CHECKED
    }

    enum Mover {
        IDLE,
        PREPARED,
        EMPTIED,
        SNAPSHOT,
        STREAMING,
        TARGET_LOCKED,
        SOURCE_LOCKED,
        FENCED,
        ACTIVATED_WITHOUT_TAIL,
        DONE,
        DEAD,
        RESYNC_CLAIMED,
        RESYNC_READ,
        RESYNC_FORGOTTEN,
        RESYNC_EMPTIED,
        RESYNC_COPIED,
        RESYNC_CONFIRMED
    }

    /** What the source does with writes. */
    enum Writes {
        TAKEN,
        REFUSED,
        TAKEN_AGAIN
    }

    final Fence[] fence = {Fence.OWNED, Fence.ABSENT};
    final int[] row = {0, NO_ROW};
    /** versions in the log of the source, oldest first */
    int[] log = new int[0];
    /** length of the log at the fence */
    int marker;

    int token = NOBODY;
    int position = NO_POSITION;
    int newest;
    int tokens;
    int crashes;
    /** what an abort has seen before it decides: that the source takes writes; of the mutant, that the target does not own */
    boolean abortSeen;

    Writes writes = Writes.TAKEN;
    boolean logLost;
    final Writer[] writer = {Writer.IDLE, Writer.IDLE};
    final int[] writerSide = {0, 0};
    final boolean[] writerSaw = {false, false};
    final Mover[] mover = {Mover.IDLE, Mover.IDLE};
    final int[] moverToken = {NOBODY, NOBODY};
    final int[] read = {0, 0};
    boolean published;
    boolean readerKnows;
    /** 0 none, 1 on the source, 2 on the target */
    int reading;

    private static final Fence[] FENCES = Fence.values();
    private static final Writer[] WRITER_STATES = Writer.values();
    private static final Mover[] MOVER_STATES = Mover.values();
    private static final Writes[] WRITES = Writes.values();

    static SwitchState of(long[] words) {
        SwitchState s = new SwitchState();
        Bits bits = new Bits(words);
        for (int side = 0; side < 2; side++) {
            s.fence[side] = FENCES[bits.get(3)];
            s.row[side] = bits.get(3);
        }
        s.log = new int[bits.get(2)];
        for (int i = 0; i < 3; i++) {
            int version = bits.get(2);
            if (i < s.log.length) {
                s.log[i] = version;
            }
        }
        s.marker = bits.get(2);
        s.token = bits.get(3);
        s.position = bits.get(3);
        s.newest = bits.get(2);
        s.tokens = bits.get(3);
        s.crashes = bits.get(2);
        s.abortSeen = bits.get();
        for (int i = 0; i < WRITERS; i++) {
            s.writer[i] = WRITER_STATES[bits.get(2)];
            s.writerSide[i] = bits.get(1);
            s.writerSaw[i] = bits.get();
        }
        for (int i = 0; i < MOVERS; i++) {
            s.mover[i] = MOVER_STATES[bits.get(5)];
            s.moverToken[i] = bits.get(3);
            s.read[i] = bits.get(3);
        }
        s.published = bits.get();
        s.readerKnows = bits.get();
        s.reading = bits.get(2);
        s.writes = WRITES[bits.get(2)];
        s.logLost = bits.get();
        return s;
    }

    long[] packed() {
        long[] words = new long[2];
        Bits bits = new Bits(words);
        for (int side = 0; side < 2; side++) {
            bits.put(fence[side].ordinal(), 3).put(row[side], 3);
        }
        bits.put(log.length, 2);
        for (int i = 0; i < 3; i++) {
            bits.put(i < log.length ? log[i] : 0, 2);
        }
        bits.put(marker, 2)
                .put(token, 3)
                .put(position, 3)
                .put(newest, 2)
                .put(tokens, 3)
                .put(crashes, 2)
                .put(abortSeen);
        int first = writerRank(0) <= writerRank(1) ? 0 : 1; // two writers are alike: one order is enough
        for (int i : new int[] {first, 1 - first}) {
            bits.put(writer[i].ordinal(), 2).put(writerSide[i], 1).put(writerSaw[i]);
        }
        for (int i = 0; i < MOVERS; i++) {
            bits.put(mover[i].ordinal(), 5).put(moverToken[i], 3).put(read[i], 3);
        }
        bits.put(published).put(readerKnows).put(reading, 2);
        bits.put(writes.ordinal(), 2).put(logLost);
        return words;
    }

    private int writerRank(int i) {
        return writer[i].ordinal() * 4 + writerSide[i] * 2 + (writerSaw[i] ? 1 : 0);
    }

    void append(int version) {
        log = Arrays.copyOf(log, log.length + 1);
        log[log.length - 1] = version;
    }

    boolean owns(int side) {
        return fence[side] == Fence.OWNED || fence[side] == Fence.OWNED_AGAIN;
    }

    boolean refusesWrites() {
        return writes == Writes.REFUSED;
    }

    int inFlight() {
        return (int) Arrays.stream(writer).filter(w -> w != Writer.IDLE).count();
    }

    boolean sharedFree(int side) {
        for (int i = 0; i < WRITERS; i++) {
            if ((writer[i] == Writer.LOCKED || writer[i] == Writer.CHECKED) && writerSide[i] == side) {
                return false;
            }
        }
        return true;
    }

    boolean exclusiveFree(int side) {
        for (Mover m : mover) {
            boolean target = m == Mover.TARGET_LOCKED || m == Mover.SOURCE_LOCKED || m == Mover.FENCED;
            if (side == 1 ? target : m == Mover.SOURCE_LOCKED) {
                return false;
            }
        }
        return true;
    }
}
