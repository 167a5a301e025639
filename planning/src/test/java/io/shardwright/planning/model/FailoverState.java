package io.shardwright.planning.model;

import java.util.Arrays;

/** One state of {@link FailoverModel}, unpacked. */
final class FailoverState {
    static final int NO_POSITION = 15;
    static final int MAX_LOG = 10;
    /** entries of the log of S beside the writes 0 and 1 */
    static final int FENCED = 2;

    static final int RECLAIMED = 3;
    static final int HEARTBEAT = 4;
    static final int ACTIVATED = 5;
    static final int DELETED = 6;

    enum SourceFence {
        OWNED_1,
        MOVED_2,
        OWNED_3,
        /** a reversal only: T has lost what made it the owner */
        UNACTIVATED
    }

    enum TargetFence {
        NONE,
        IMPORTING,
        ABORTED,
        OWNED_2,
        /** a reversal only: a tombstone of the move that is to be taken back, whose rows follow */
        FOLLOWING,
        /** a reversal only: the tombstone again, after an abort */
        TOMBSTONE
    }

    /** How far a commit that somebody waits for has come. */
    enum Commit {
        LOCAL,
        VISIBLE,
        REPLICATED
    }

    enum Writer {
        IDLE,
        ENTERED,
        COMMITTED
    }

    enum Mover {
        NONE,
        IDLE,
        TOKEN,
        DELETE,
        COPY,
        STREAM,
        DRAINED,
        FENCING,
        LOST,
        UNSURE,
        FENCED,
        ACTIVATING,
        RESYNC_TOKEN,
        RESYNC_EMPTIED,
        RESYNC_COPIED
    }

    /** What the source does with writes. */
    enum Writes {
        TAKEN,
        REFUSED,
        TAKEN_AGAIN
    }

    enum Slot {
        NONE,
        OK,
        LOST
    }

    /** Content of T after a prefix of its log. */
    static final class Content {
        int rows;
        TargetFence fence = TargetFence.NONE;
        int token;
        int position = NO_POSITION;

        Content copy() {
            Content copy = new Content();
            copy.rows = rows;
            copy.fence = fence;
            copy.token = token;
            copy.position = position;
            return copy;
        }
    }

    int[] log = new int[0];
    int replicated;
    int visible;
    /** T as its standby has it, as sessions see it, and with all that is committed locally */
    Content onStandby = new Content();

    Content seen = new Content();
    Content all = new Content();
    boolean standbyBehind;
    boolean pending;
    boolean pendingFence;
    boolean pendingToken;
    final Writer[] writer = {Writer.IDLE, Writer.IDLE};
    final int[] writerSide = {0, 0};
    final int[] writerId = {0, 0};
    final Commit[] writerCommit = {Commit.LOCAL, Commit.LOCAL};
    final Mover[] mover = {Mover.IDLE, Mover.NONE};
    final int[] token = {0, 0};
    final int[] read = {0, 0};
    final Commit[] moverCommit = {Commit.LOCAL, Commit.LOCAL};
    boolean sourceLocked;
    int acknowledged;
    int begun;
    Slot slot = Slot.NONE;
    int confirmed;
    final boolean[] failedOver = {false, false};
    boolean takenOver;
    boolean ended;
    boolean cancelled;
    boolean reversal;
    Writes writes = Writes.TAKEN;

    private static final Commit[] COMMITS = Commit.values();
    private static final Writer[] WRITER_STATES = Writer.values();
    private static final Mover[] MOVER_STATES = Mover.values();
    private static final Slot[] SLOTS = Slot.values();
    private static final Writes[] WRITES = Writes.values();
    private static final TargetFence[] TARGET_FENCES = TargetFence.values();

    static FailoverState of(long[] words) {
        FailoverState s = new FailoverState();
        Bits bits = new Bits(words);
        s.log = new int[bits.get(4)];
        for (int i = 0; i < MAX_LOG; i++) {
            int entry = bits.get(3);
            if (i < s.log.length) {
                s.log[i] = entry;
            }
        }
        s.replicated = bits.get(4);
        s.visible = bits.get(4);
        s.onStandby = content(bits);
        s.seen = content(bits);
        s.all = content(bits);
        s.standbyBehind = bits.get();
        s.pending = bits.get();
        s.pendingFence = bits.get();
        s.pendingToken = bits.get();
        for (int i = 0; i < 2; i++) {
            s.writer[i] = WRITER_STATES[bits.get(2)];
            s.writerSide[i] = bits.get(1);
            s.writerId[i] = bits.get(1);
            s.writerCommit[i] = COMMITS[bits.get(2)];
            s.mover[i] = MOVER_STATES[bits.get(4)];
            s.token[i] = bits.get(2);
            s.read[i] = bits.get(4);
            s.moverCommit[i] = COMMITS[bits.get(2)];
            s.failedOver[i] = bits.get();
        }
        s.sourceLocked = bits.get();
        s.acknowledged = bits.get(2);
        s.begun = bits.get(2);
        s.slot = SLOTS[bits.get(2)];
        s.confirmed = bits.get(4);
        s.takenOver = bits.get();
        s.ended = bits.get();
        s.cancelled = bits.get();
        s.reversal = bits.get();
        s.writes = WRITES[bits.get(2)];
        return s;
    }

    long[] packed() {
        long[] words = new long[3];
        Bits bits = new Bits(words);
        bits.put(log.length, 4);
        for (int i = 0; i < MAX_LOG; i++) {
            bits.put(i < log.length ? log[i] : 0, 3);
        }
        bits.put(replicated, 4).put(visible, 4);
        put(bits, onStandby);
        put(bits, seen);
        put(bits, all);
        bits.put(standbyBehind).put(pending).put(pendingFence).put(pendingToken);
        for (int i = 0; i < 2; i++) {
            bits.put(writer[i].ordinal(), 2).put(writerSide[i], 1).put(writerId[i], 1);
            bits.put(writerCommit[i].ordinal(), 2)
                    .put(mover[i].ordinal(), 4)
                    .put(token[i], 2)
                    .put(read[i], 4);
            bits.put(moverCommit[i].ordinal(), 2).put(failedOver[i]);
        }
        bits.put(sourceLocked)
                .put(acknowledged, 2)
                .put(begun, 2)
                .put(slot.ordinal(), 2)
                .put(confirmed, 4);
        bits.put(takenOver).put(ended).put(cancelled).put(reversal).put(writes.ordinal(), 2);
        return words;
    }

    private static Content content(Bits bits) {
        Content content = new Content();
        content.rows = bits.get(2);
        content.fence = TARGET_FENCES[bits.get(3)];
        content.token = bits.get(2);
        content.position = bits.get(4);
        return content;
    }

    private static void put(Bits bits, Content content) {
        bits.put(content.rows, 2)
                .put(content.fence.ordinal(), 3)
                .put(content.token, 2)
                .put(content.position, 4);
    }

    SourceFence source(int prefix) {
        SourceFence fence = reversal ? SourceFence.UNACTIVATED : SourceFence.OWNED_1;
        for (int i = 0; i < prefix; i++) {
            fence = switch (log[i]) {
                case ACTIVATED -> SourceFence.OWNED_1;
                case FENCED -> SourceFence.MOVED_2;
                case RECLAIMED -> SourceFence.OWNED_3;
                default -> fence;
            };
        }
        return fence;
    }

    boolean sourceOwns() {
        SourceFence fence = source(visible);
        return fence == SourceFence.OWNED_1 || fence == SourceFence.OWNED_3;
    }

    int sourceRows(int prefix) {
        int rows = 0;
        for (int i = 0; i < prefix; i++) {
            rows = log[i] == DELETED ? 0 : rows | (log[i] < FENCED ? 1 << log[i] : 0);
        }
        return rows;
    }

    boolean sourcePending() {
        return log.length > visible;
    }

    boolean sourceFencePending() {
        return Arrays.stream(log, visible, log.length).anyMatch(FailoverState::isFence);
    }

    boolean refusesWrites() {
        return writes == Writes.REFUSED;
    }

    boolean resyncs(int i) {
        return mover[i].ordinal() >= Mover.RESYNC_TOKEN.ordinal();
    }

    boolean fenceAt(int position) {
        return position < log.length && isFence(log[position]);
    }

    private static boolean isFence(int entry) {
        return entry == FENCED || entry == RECLAIMED;
    }

    void appendToSource(int entry) {
        log = Arrays.copyOf(log, log.length + 1);
        log[log.length - 1] = entry;
    }

    boolean noWriterOn(int side) {
        for (int i = 0; i < 2; i++) {
            if (writer[i] != Writer.IDLE && writerSide[i] == side) {
                return false;
            }
        }
        return true;
    }

    /** The standby of a side has all of its log. */
    void replicate(int side) {
        if (side == 0) {
            replicated = log.length;
        } else {
            onStandby = all.copy();
            standbyBehind = false;
        }
        show(side);
        reach(side, Commit.REPLICATED);
    }

    /** Sessions see all of the log, replicated or not. */
    void cancelWait(int side) {
        show(side);
        reach(side, Commit.VISIBLE);
    }

    private void show(int side) {
        if (side == 0) {
            visible = log.length;
        } else {
            seen = all.copy();
            pending = false;
            pendingFence = false;
            pendingToken = false;
        }
    }

    private void reach(int side, Commit commit) {
        for (int i = 0; i < 2; i++) {
            if (writer[i] == Writer.COMMITTED && writerSide[i] == side && writerCommit[i].compareTo(commit) < 0) {
                writerCommit[i] = commit;
            }
            boolean waits =
                    side == 0 ? mover[i] == Mover.FENCING || mover[i] == Mover.UNSURE : mover[i] == Mover.ACTIVATING;
            if (waits && moverCommit[i].compareTo(commit) < 0) {
                moverCommit[i] = commit;
            }
        }
    }

    /** An apply commits without waiting, so what is before it becomes visible too, unless a fence change still waits. */
    void asynchronous() {
        if (!pendingFence && !pendingToken) {
            cancelWait(1);
        }
    }

    void at(int i, Mover next) {
        mover[i] = next;
        moverCommit[i] = Commit.LOCAL;
    }

    void idle(int i) {
        writer[i] = Writer.IDLE;
        writerSide[i] = 0;
        writerId[i] = 0;
        writerCommit[i] = Commit.LOCAL;
    }
}
