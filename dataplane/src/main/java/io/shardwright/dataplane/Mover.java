package io.shardwright.dataplane;

import io.shardwright.routing.Scope;
import java.util.Set;
import java.util.SortedSet;

/**
 * The long hands of one move. All calls return at once; work happens on threads of the mover, and {@link #report()} tells
 * how far it is. Every command starts from the truth in the databases, so each may be repeated after any crash, by any
 * mover: two movers of one move are waste, never danger, because each step is a compare-and-swap on token and fence.
 */
public interface Mover extends AutoCloseable {
    /** The newest report; never blocks. */
    MoveReport report();

    /**
     * Starts a command, but for {@link #beginCleanUp} and {@link #beginReclaim}. While another one runs the call is ignored and returns false; the
     * report shows which runs.
     * {@code PREPARE} goes on by itself through copy and catch-up and keeps the stream applied until the mover is closed.
     */
    boolean begin(Command command);

    /** Starts the switch of one group (7a to 7d), ascending; the same rule as {@link #begin}. */
    boolean beginSwitch(SortedSet<Scope> group);

    /**
     * Starts {@link Command#CLEAN_UP}; the same rule as {@link #begin}. The caller has checked that every live router has
     * acknowledged the new owner.
     *
     * @param liveRouters instance ids of all routers that live, listed just now. Sessions of others on the source are ended,
     *     because reads are not fenced: nothing is deleted while one is there
     */
    boolean beginCleanUp(Set<String> liveRouters);

    /**
     * Starts {@link Command#RECLAIM}; the same rule as {@link #begin}. It does nothing while the target answers, and to buckets
     * that are not fenced by this move.
     *
     * @param scopes fenced, and not known to be activated; a person has said that the target will not come back as their owner
     */
    boolean beginReclaim(SortedSet<Scope> scopes);

    /** Ends threads and sessions; objects in the databases stay for the next mover. */
    @Override
    void close();

    enum Command {
        /** Reads fence rows, progress and positions of both sides again. */
        OBSERVE,
        /** Step 1: checks that need both databases. */
        VALIDATE,
        /**
         * Steps 2 to 4: token, records, IMPORTING, slot and snapshot, copy, stream; resumes when the truth allows it. Of a
         * reversal: begins it with every bucket that can go back; it has no copy, so what cannot resume is lost for good.
         */
        PREPARE,
        /**
         * Step 5: compares both sides at a marker. Of a reversal that has not begun: the buckets that it could take back; its
         * stream goes on whatever is found, so it may be repeated when the rows are mended.
         */
        VERIFY,
        /** The gates of step 6 that are measured (M8), fresh. */
        GATE,
        /**
         * Of a reversal: a slot on its source before the first fence of the move that it may take back, and a stream that keeps
         * the rows on its target true from the first activation on; resumes. Nothing else changes: {@code PREPARE} begins the
         * reversal itself.
         */
        FOLLOW,
        /** After all activations: the source's log is needed no more; ends the stream and drops its slot. */
        RETIRE,
        /**
         * FT to ABORTED, reclaim or bump of S to e+2, leftovers on T, objects by their records. Of a reversal: no rows are
         * deleted, its target gets its tombstone again; when it has not begun, only its stream, slot and records go, also
         * when there are none.
         */
        ABORT,
        /**
         * Of a bucket that both sides own, because a failover has lost a commit: the OWNED row of the lower epoch becomes a
         * tombstone that leads to the other. Rows stay as they are, and nobody deletes them while {@link
         * MoveReport.Truth#demoted} names the bucket. Equal epochs are decided by nobody.
         */
        DEMOTE,
        /**
         * FS to e+2 without the compare-and-swap on FT, because the target is gone. Always ends with a failure, which is {@code
         * RECLAIMED} when it was done.
         */
        RECLAIM,
        /**
         * Of a move of its own, whose source takes no writes: what is fenced there is copied once more, compared, and activated by
         * the compare-and-swap on FT. It does nothing while the source takes writes, and ends when it does so again.
         */
        RESYNC,
        /**
         * Sessions of departed routers, source rows, then slot, publication membership and records; not while the way back
         * stands. Of buckets that were given back only the records.
         */
        CLEAN_UP
    }
}
