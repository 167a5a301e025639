package io.shardwright.planning.moves;

/**
 * What the fence rows of both sides say about one bucket to one leg of a move (move-protocol section 4.4). Source and target
 * are those of the leg: on the way back they have changed places.
 */
public enum RecoveryAction {
    /** the source owns it and the target has nothing of ours: steps 1 and 2 are still to come, or are redone */
    BEGIN,
    /** being filled: steps 3 to 7b, by the progress row; when the position is lost step 2 again */
    CARRY_ON,
    /** fenced, not activated: 7d, or the abort's compare-and-swap */
    ACTIVATE,
    /** the target owns it: step 8 and later */
    PUBLISH,
    /** decided against while the source owned it: clean the target */
    FINISH_ABORT,
    /** decided against after the fence: the source takes it back with a higher epoch, then as FINISH_ABORT */
    RECLAIM,
    /** fenced, and the target has lost its row in a failover: write ABORTED there, then as RECLAIM */
    REVOKE,
    /** said to the way there: the way back has begun for it and has not ended */
    TAKE_BACK,
    /** said to the way there: the source owns it again, by the way back */
    TAKEN_BACK,
    /** said to the way back: it was decided against, and the tombstone of the way there is in its place again */
    KEPT,
    /** said to the way back: the way there did not bring it, so there is nothing to take back */
    STAYED,
    /** said to the way back: a failover took the activation of the way there away, and nobody owns it before that is ended */
    UNFINISHED,
    /** the source does not own it and this move has nothing to do with that: the spec is wrong */
    NOT_OWNER,
    /** both sides own it: a commit was lost; the older owner is closed, and nothing else happens before a person has looked */
    FREEZE,
    /** a pair of rows that no step of the protocol leaves behind, or somebody else's: a person must look */
    BLOCK;

    /** The leg was decided against for this bucket; the only way is to finish that. */
    public boolean decidedAgainst() {
        return this == FINISH_ABORT || this == RECLAIM || this == REVOKE || this == KEPT;
    }

    /** What this leg was asked to bring to its target, and has not. */
    boolean unmoved() {
        return this != PUBLISH && this != TAKE_BACK && this != TAKEN_BACK && this != STAYED && this != UNFINISHED;
    }
}
