package io.shardwright.planning.model;

import io.shardwright.planning.model.OverrideModel.Harm;
import io.shardwright.planning.model.OverrideModel.Scope;

/** A rule about keys that live apart from their bucket, taken away, and the harm that it does in a small scope. */
enum OverrideMutant {
    NONE(null, null),
    /** 2.2: adding an override does not touch the row of the bucket; who checks looks for a row of the key in any case */
    OVERRIDEBLIND(Harm.LOST_WRITE, Scope.SMALL),
    /** K1: a writer that has passed by the key's row holds no lock of the key */
    NOKEYLOCK(Harm.LOST_WRITE, Scope.SMALL),
    /** K1: the split does not wait for those who have passed by the bucket's row */
    SPLITUNDRAINED(Harm.LOST_WRITE, Scope.SMALL),
    /** K1: the split does not look whether the bucket is still owned, and with which epoch */
    LATESPLIT(Harm.TWO_OWNERS, Scope.THREE_SHARDS),
    /** K1: the split is sent by a mover that was frozen, and does not look at the token */
    SPLITUNCLAIMED(Harm.LEFT_BEHIND, Scope.SMALL),
    /** K3: the activation of a bucket writes no tombstones of keys that live elsewhere */
    NOTOMBSTONE(Harm.TWO_OWNERS, Scope.THREE_SHARDS),
    /** K3: it writes tombstones and leaves the count as it was */
    ACTIVATEUNCOUNTED(Harm.TWO_OWNERS, Scope.THREE_SHARDS),
    /** K3: it writes one also where the target owns the key */
    TOMBSTONEOVEROWNER(Harm.NO_OWNER, Scope.SMALL),
    /** K3: a tombstone on the target that points farther than the source's is replaced by that */
    OLDERPOINTER(Harm.POINTS_TO_ITSELF, Scope.THREE_MOVES_ON_THREE_SHARDS),
    /** M3: copy and stream of a bucket take the keys along that live elsewhere */
    COPYKEYS(Harm.LOST_WRITE, Scope.SMALL),
    /** step 2: leftovers of all keys are deleted, also of those that live on the target */
    LEFTOVERSOFKEYS(Harm.LOST_WRITE, Scope.SMALL),
    /** K4: the row of the key is deleted in whatever state it is */
    FOLDNOCAS(Harm.TWO_OWNERS, Scope.SMALL),
    /** K4: the count stays, and with it the version of the bucket's row */
    FOLDUNCOUNTED(Harm.LOST_WRITE, Scope.SMALL),
    /** K4: the repeat of a fold back whose answer was lost counts down once more */
    DOUBLEDECREMENT(Harm.TWO_OWNERS, Scope.TWO_KEYS),
    /** 4.4: a target without a row of the key has lost its preparation, also where it owns the bucket */
    FOLDTAKENFORLOST(Harm.TWO_OWNERS, Scope.SMALL),
    /** K4: the epoch of the bucket stays below that of the key */
    EPOCHKEPT(Harm.NEVER_AGAIN, Scope.THREE_MOVES_ON_THREE_SHARDS),
    /** K3: step 2 leaves old rows of keys on the target */
    KEYROWSKEPT(Harm.NO_OWNER, Scope.THREE_MOVES_ON_THREE_SHARDS),
    /** K4: a key leaves no tombstone where its bucket is not owned, wherever it goes */
    DROPPEDABROAD(Harm.POINTS_TO_ITSELF, Scope.THREE_MOVES_ON_THREE_SHARDS),
    /** K4: an old tombstone is dropped by a mover that was frozen, which looks neither at its token nor at the bucket's row */
    DROPUNCHECKED(Harm.TWO_OWNERS, Scope.FOUR_MOVES),
    /** the same, but only where the bucket is not owned */
    DROPUNCLAIMED(Harm.NO_OWNER, Scope.FOUR_MOVES),
    /** 8: the cleanup of a bucket deletes rows of keys that have a row of their own there */
    LATECLEANER(Harm.LOST_WRITE, Scope.SMALL),
    /** exclusion: moves of a bucket and of a key in it do not see each other */
    NOEXCLUSION(Harm.LOST_WRITE, Scope.SMALL),
    /** exclusion: a move looks for others on its source only */
    NOEXCLUSIONONTARGET(Harm.NO_OWNER, Scope.THREE_MOVES_ON_THREE_SHARDS),
    /** exclusion: a move looks for others on its target only */
    NOEXCLUSIONONSOURCE(Harm.LOST_WRITE, Scope.THREE_MOVES_ON_THREE_SHARDS),
    /** exclusion: an abort tidies up although the move has no record yet */
    ABORTUNRECORDED(Harm.STUCK, Scope.THREE_MOVES),
    /** 7: a reversal folds back keys that its source owns, as a move does before it copies */
    REVERSALFOLDS(Harm.NO_OWNER, Scope.SMALL);

    /** null of none */
    final Harm harm;

    final Scope scope;

    OverrideMutant(Harm harm, Scope scope) {
        this.harm = harm;
        this.scope = scope;
    }
}
