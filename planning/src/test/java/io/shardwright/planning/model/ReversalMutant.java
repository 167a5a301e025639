package io.shardwright.planning.model;

/** A rule of the way back taken away; each must lead to a counter-example. */
enum ReversalMutant {
    NONE,
    /** M7: the way back writes what the mover of the way there has written on T, back to S */
    REVERSELOOP,
    /** M7: batches that copy and delete rows on T do not say that they are a mover's */
    COPYUNMARKED,
    /** section 7: the way back has the id of the way there, so the activation of T is taken for its marker */
    REVERSEOLDID,
    /** section 7: the first position on T may be taken after the fence */
    REVERSEGAP,
    /** section 7: whether S still owns is asked before a new slot is made, and not again behind it */
    FOLLOWUNCHECKED,
    /** M5: a slot made anew is taken for the one that the progress row knows */
    NODETECT,
    /** M5: the applier on S looks neither at token and position nor at its row of the fence */
    ZOMBIEAPPLY,
    /** the reversal begins before T owns the bucket */
    BEGINEARLY,
    /** the reversal begins without a look at the token in the progress row */
    BEGINUNCHECKED,
    /** I6: T is reclaimed without the compare-and-swap on S */
    ABORTNOCAS,
    /** 4.4: the abort leaves the epoch of T as it was, if T was not fenced */
    NOBUMP,
    /** 4.4: S is a tombstone again before T owns the bucket again */
    TOMBSTONEFIRST,
    /** 4.4: S stays ABORTED when the reversal was decided against */
    ABORTEDKEPT,
    /** the abort of a reversal deletes rows on S, as the abort of a move does on T */
    ABORTDELETES,
    /** a reversal that begins after all when the point of no return is stored is left to a person */
    NORETURNBLOCKS,
    /** I9: rows are deleted before routers have acknowledged the table without that shard */
    CLEANUPNOACK,
    /** I9: rows on S are deleted while the way back still stands */
    UNDISMISSED
}
