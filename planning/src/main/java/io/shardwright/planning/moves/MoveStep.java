package io.shardwright.planning.moves;

/** What an executor can be told to do; each is idempotent, so a step that may have happened is simply done again. */
public enum MoveStep {
    /** read both databases again; opens the mover when there is none */
    OBSERVE,
    VALIDATE,
    PREPARE,
    VERIFY,
    /** measure the gates of the switch, fresh */
    GATE,
    /** open the way back: a stream from the target to the source, from before the first fence on */
    FOLLOW,
    /** put the groups into the table, visible to nobody */
    ANNOUNCE,
    /** 7a to 7d for one group */
    SWITCH,
    /** make activated groups visible to workers */
    PUBLISH_TO_WORKERS,
    /** and to web processes */
    PUBLISH_TO_WEB,
    /** write activated groups into the bucket map and drop their handovers */
    FOLD,
    /** end the stream of the way there, which has nothing left to bring */
    RETIRE,
    /** the reversal begins; it is a move of its own from here on */
    TURN_BACK,
    /** both sides once more, at a marker of the way back, before anything is deleted */
    COMPARE,
    /** close the way back: its stream and its slot; replaces whatever its mover does now */
    DISMISS,
    CLEAN_UP,
    /** to ABORTED on the target, then reclaim; replaces whatever the mover does now, but for a SWITCH */
    ABORT,
    /** take announced groups out of the table after an abort */
    WITHDRAW,
    /** close the older of two owners of a bucket; replaces what the mover does now, but for what is not interrupted */
    DEMOTE,
    /** the source takes no writes: its fenced buckets are copied to the target once more, and activated there */
    RESYNC,
    /** the source takes fenced buckets back although the target does not answer, because a person says so */
    RECLAIM
}
