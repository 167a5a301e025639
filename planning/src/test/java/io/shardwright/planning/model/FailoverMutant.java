package io.shardwright.planning.model;

/** A rule about lost commits taken away; each must lead to a counter-example. */
enum FailoverMutant {
    NONE,
    /** 2.2: 7d on the marker in the stream alone, before the fence's commit was answered */
    MARKER,
    /** 2.2: after a lost answer the fence row is not read again, any commit confirms */
    NOREREAD,
    /** 2.2: a fence row that can be read is taken for durable */
    NOSYNC,
    /** M5: the applier does not compare the position in the progress row */
    NOPOS,
    /** I6: the source is reclaimed after an abort that is not yet on the target's standby */
    ABORTLOCAL,
    /** step 2: a frozen mover deletes leftovers without looking at token and fence */
    ZOMBIE2,
    /** step 2: a redone preparation keeps the old position */
    KEEPPOS,
    /** section 13: a slot that lived through a failover is taken for good */
    SLOTKEPT,
    /** 4.4: a fence without the claim, and an abort that leaves the epoch of S as it was */
    NOCLAIM,
    /** 4.4: nothing is done about a target that has lost IMPORTING */
    NOABSENT,
    /** M5: S is told as flushed what T has not made durable, and a resume does not see it */
    EARLYCONFIRM_NODETECT,
    /** I9: rows are deleted before the activation is on the standby of the new owner */
    CLEANUPLOCAL,
    /** 2.2, a reversal: it begins while the activation of T can still be lost */
    BEGINUNCONFIRMED,
    /** 4.4, a reversal: S is a tombstone again before T's standbys know that T owns again */
    TOMBSTONELOCAL,
    /** 2.2, re-sync: a fence that can be read is taken for durable */
    RESYNCUNCONFIRMED,
    /** re-sync: the activation is written by any session, so a target that has lost what was copied is not noticed */
    RESYNCREOPENED;

    boolean ofResync() {
        return this == RESYNCUNCONFIRMED || this == RESYNCREOPENED;
    }
}
