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
    CLEAN_UP,
    /** to ABORTED on the target, then reclaim; replaces whatever the mover does now, but for a SWITCH */
    ABORT,
    /** take announced groups out of the table after an abort */
    WITHDRAW
}
