package io.shardwright.planning.model;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** One state of {@link OverrideModel}, unpacked. Row versions: 0 is there from the start, {@link #NO_ROW} is no row. */
final class OverrideState {
    static final int SHARDS = 3;
    static final int KEYS = 2;
    static final int MOVES = 2;
    static final int NO_ROW = 3;
    /** a row of the fence names no owner */
    static final int NOBODY = 3;

    enum Fence {
        ABSENT,
        OWNED,
        MOVED,
        IMPORTING,
        ABORTED
    }

    enum Writer {
        IDLE,
        /** its snapshot is taken, it waits for the lock of the bucket */
        BEGUN,
        /** has the shared lock of the bucket and has to look for a row of its key */
        ASKS_KEY,
        /** has passed by the row of the bucket alone */
        PASSED_BY_BUCKET,
        /** has passed with the shared locks of bucket and key */
        PASSED_BY_KEY
    }

    /** A statement that a mover was about to send when it was frozen. */
    enum Frozen {
        NONE,
        SPLIT,
        FOLD,
        DROP,
        CLEAN
    }

    /** A row of the fence; of a move that has ended, the id is 0. */
    static final class Row {
        Fence state = Fence.ABSENT;
        int epoch;
        int move;
        /** of a tombstone, where it points to */
        int owner = NOBODY;

        void set(Fence newState, int newEpoch, int newMove) {
            state = newState;
            epoch = newEpoch;
            move = newMove;
            owner = NOBODY;
        }

        void pointTo(int newOwner, int newEpoch, int newMove) {
            set(Fence.MOVED, newEpoch, newMove);
            owner = newOwner;
        }

        void remove() {
            set(Fence.ABSENT, 0, 0);
        }

        boolean is(Fence wanted, int wantedEpoch) {
            return state == wanted && epoch == wantedEpoch;
        }

        boolean is(Fence wanted, int wantedEpoch, int wantedMove) {
            return is(wanted, wantedEpoch) && move == wantedMove;
        }

        boolean present() {
            return state != Fence.ABSENT;
        }

        private void put(Bits bits) {
            bits.put(state.ordinal(), 3).put(epoch, 4).put(move, 2).put(owner, 2);
        }

        private void get(Bits bits) {
            set(FENCES[bits.get(3)], bits.get(4), bits.get(2));
            owner = bits.get(2);
        }
    }

    /** What the databases keep of a move, and the epoch that it was told. */
    static final class Move {
        static final int NONE = 0;
        static final int BUCKET = 1;
        /** of the first key; of the second one more */
        static final int KEY = 2;

        int kind;
        int source;
        int target;
        /** epoch of the scope on the source when the move was planned */
        int epoch;

        boolean recordedOnTarget;
        boolean recordedOnSource;
        boolean copied;
        boolean aborting;
        /** the point of no return is passed */
        boolean cleaning;
        /** its sides are swapped */
        boolean reversal;
        /** it was taken back once */
        boolean turned;
        /** keys that copy, stream and deletion leave out, as bits */
        int without;

        boolean open() {
            return kind != NONE;
        }

        boolean ofBucket() {
            return kind == BUCKET;
        }

        int key() {
            return kind - KEY;
        }

        boolean takes(int key) {
            return ofBucket() ? (without >> key & 1) == 0 : key() == key;
        }

        boolean overlaps(Move other) {
            return other.open() && (ofBucket() || other.ofBucket() || kind == other.kind);
        }

        boolean recordedOn(int shard) {
            return recordedOnTarget && target == shard || recordedOnSource && source == shard;
        }

        private void put(Bits bits) {
            bits.put(kind, 2).put(source, 2).put(target, 2).put(epoch, 4);
            bits.put(recordedOnTarget).put(recordedOnSource).put(copied);
            bits.put(aborting).put(cleaning).put(reversal).put(turned).put(without, 2);
        }

        private void get(Bits bits) {
            kind = bits.get(2);
            source = bits.get(2);
            target = bits.get(2);
            epoch = bits.get(4);
            recordedOnTarget = bits.get();
            recordedOnSource = bits.get();
            copied = bits.get();
            aborting = bits.get();
            cleaning = bits.get();
            reversal = bits.get();
            turned = bits.get();
            without = bits.get(2);
        }
    }

    final Row[] bucket = {new Row(), new Row(), new Row()};
    final int[] overrides = new int[SHARDS];
    /** by key, then by shard */
    final Row[][] key = {{new Row(), new Row(), new Row()}, {new Row(), new Row(), new Row()}};

    final int[][] version = {{0, NO_ROW, NO_ROW}, {0, NO_ROW, NO_ROW}};
    final int[] newest = new int[KEYS];
    /** where a key was moved to by itself, plus 1; 0 when it belongs to its bucket */
    final int[] pin = new int[KEYS];

    final Move[] move = {new Move(), new Move()};
    int starts;

    Writer writer = Writer.IDLE;
    int writerShard;
    int writerKey;
    /** its snapshot is of its begin: it sees no newer row, and finds out that an older one was changed */
    boolean oldSnapshot;

    boolean sawBucket;
    boolean bucketTouched;
    boolean sawKey;
    boolean keyTouched;
    boolean bucketWasOwned;

    Frozen frozen = Frozen.NONE;
    int frozenShard;
    int frozenKey;
    int frozenBucketEpoch;
    int frozenKeyEpoch;

    private static final Fence[] FENCES = Fence.values();
    private static final Writer[] WRITERS = Writer.values();
    private static final Frozen[] FROZEN = Frozen.values();

    static OverrideState initial() {
        OverrideState s = new OverrideState();
        s.bucket[0].set(Fence.OWNED, 1, 0);
        return s;
    }

    static OverrideState of(long[] words) {
        OverrideState s = new OverrideState();
        Bits bits = new Bits(words);
        for (int shard = 0; shard < SHARDS; shard++) {
            s.bucket[shard].get(bits);
            s.overrides[shard] = bits.get(2);
            for (int k = 0; k < KEYS; k++) {
                s.key[k][shard].get(bits);
                s.version[k][shard] = bits.get(2);
            }
        }
        for (int k = 0; k < KEYS; k++) {
            s.newest[k] = bits.get(2);
            s.pin[k] = bits.get(2);
        }
        for (Move each : s.move) {
            each.get(bits);
        }
        s.starts = bits.get(3);
        s.getWriter(bits);
        s.frozen = FROZEN[bits.get(3)];
        s.frozenShard = bits.get(2);
        s.frozenKey = bits.get(1);
        s.frozenBucketEpoch = bits.get(4);
        s.frozenKeyEpoch = bits.get(4);
        return s;
    }

    private void getWriter(Bits bits) {
        writer = WRITERS[bits.get(3)];
        writerShard = bits.get(2);
        writerKey = bits.get(1);
        oldSnapshot = bits.get();
        sawBucket = bits.get();
        bucketTouched = bits.get();
        sawKey = bits.get();
        keyTouched = bits.get();
        bucketWasOwned = bits.get();
    }

    long[] packed() {
        long[] words = new long[4];
        Bits bits = new Bits(words);
        for (int shard = 0; shard < SHARDS; shard++) {
            bucket[shard].put(bits);
            bits.put(overrides[shard], 2);
            for (int k = 0; k < KEYS; k++) {
                key[k][shard].put(bits);
                bits.put(version[k][shard], 2);
            }
        }
        for (int k = 0; k < KEYS; k++) {
            bits.put(newest[k], 2).put(pin[k], 2);
        }
        for (Move each : move) {
            each.put(bits);
        }
        bits.put(starts, 3);
        bits.put(writer.ordinal(), 3).put(writerShard, 2).put(writerKey, 1);
        bits.put(oldSnapshot).put(sawBucket).put(bucketTouched);
        bits.put(sawKey).put(keyTouched).put(bucketWasOwned);
        bits.put(frozen.ordinal(), 3).put(frozenShard, 2).put(frozenKey, 1);
        bits.put(frozenBucketEpoch, 4).put(frozenKeyEpoch, 4);
        return words;
    }

    boolean owns(int shard) {
        return bucket[shard].state == Fence.OWNED;
    }

    /** Whether a write that begins now would pass the fence. @param always the row of a key is looked for in any case */
    boolean accepts(int shard, int k, boolean always) {
        boolean byBucket = owns(shard) && overrides[shard] == 0 && !always;
        return byBucket || !key[k][shard].present() ? owns(shard) : key[k][shard].state == Fence.OWNED;
    }

    int countOverrides(int shard) {
        return (int)
                IntStream.range(0, KEYS).filter(k -> key[k][shard].present()).count();
    }

    boolean atRest() {
        return !move[0].open() && !move[1].open();
    }

    /** Nobody holds the shared lock of the bucket. */
    boolean bucketFree(int shard) {
        return writerShard != shard || writer == Writer.IDLE || writer == Writer.BEGUN;
    }

    boolean keyFree(int shard, int k) {
        return writer != Writer.PASSED_BY_KEY || writerShard != shard || writerKey != k;
    }

    void endWriter() {
        writer = Writer.IDLE;
        writerShard = 0;
        writerKey = 0;
        forgetSnapshot();
    }

    void forgetSnapshot() {
        oldSnapshot = false;
        sawBucket = false;
        bucketTouched = false;
        sawKey = false;
        keyTouched = false;
        bucketWasOwned = false;
    }

    void thaw() {
        frozen = Frozen.NONE;
        frozenShard = 0;
        frozenKey = 0;
        frozenBucketEpoch = 0;
        frozenKeyEpoch = 0;
    }

    static int shardsWhere(int shards, IntPredicate what) {
        return (int) IntStream.range(0, shards).filter(what).count();
    }
}
