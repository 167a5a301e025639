package io.shardwright.dataplane.postgres.move.truth;

/**
 * Every effect of a mover, in the order of a move's life. Each one is announced before it is sent and after it is done, so
 * the crash tests iterate over this list and no step can be without one.
 */
public enum MoverStep {
    /** the new token on the target, then on the source and on all records: older movers are zombies from here */
    CLAIM_TOKEN,
    /** what will be left behind is written down before it is made */
    RECORD_CLEANUP,
    /** of keys: they get fence rows of their own where their bucket is owned */
    SPLIT_KEYS,
    /** FT becomes IMPORTING, from absent only together with the check that no foreign row is there */
    MARK_IMPORTING,
    DELETE_LEFTOVERS,
    CREATE_SLOT,
    /** one chunk of rows from the snapshot */
    COPY,
    /** the copy is complete: the progress row may be resumed from here on */
    MARK_COPIED,
    /** of a reversal: its slot is there, and the progress row may be resumed from here on */
    OPEN_WAY_BACK,
    START_STREAM,
    /** one group of source transactions, asynchronously committed */
    APPLY,
    /** of a reversal: tombstones of the target become IMPORTING; from here on only a decision ends it */
    BEGIN_REVERSAL,
    ADVANCE_SEQUENCES,
    /** 7a */
    LOCK_TARGET,
    /** 7b */
    DRAIN_SOURCE,
    /** 7c */
    FENCE_SOURCE,
    /** after a takeover or a lost answer: the fence again, answered this time */
    CONFIRM_FENCE,
    /** 7d */
    ACTIVATE_TARGET,
    RELEASE_TARGET,
    /** of a source that takes no writes: a snapshot behind the fence, from which the buckets are copied once more */
    READ_BEHIND_FENCE,
    /** before the first row of that copy replaces one of the first: from here on nothing can be resumed */
    FORGET_COPY,
    /** whether the source takes the write by which it would take its buckets back */
    PROBE_SOURCE,
    /** the decision against the move */
    ABORT_TARGET,
    TERMINATE_SESSIONS,
    RECLAIM_SOURCE,
    DELETE_TARGET_ROWS,
    /** of what was decided against: a target that had a tombstone, of a reversal or of a key, has one again */
    RESTORE_TOMBSTONE,
    /** of two owners of a bucket the older one becomes a tombstone */
    DEMOTE_OWNER,
    /** the source takes fenced buckets back while the target does not answer */
    FORCE_RECLAIM,
    /** of keys whose bucket is owned by the same shard: their fence rows go, and the bucket's decides again */
    FOLD_KEYS,
    /** of keys that have come to the owner of their bucket: where they were nothing is said of them any more */
    DROP_TOMBSTONES,
    END_DEPARTED_ROUTERS,
    DELETE_SOURCE_ROWS,
    DROP_SLOT,
    REMOVE_RECORDS
}
