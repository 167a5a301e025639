package io.shardwright.planning.model;

/** The protocol with one rule taken away; each must lead to a counter-example. */
enum SwitchMutant {
    NONE,
    /** F1: a writer checks the fence and holds no lock until its commit */
    NOLOCK,
    /** F2: a writer's check sees the snapshot of its begin, older than its lock */
    RRSTALE,
    /** 7b: the mover takes the lock of the source without waiting for those who hold it */
    NODRAIN,
    /** I5: the activation is a transaction of its own, before the tail is applied */
    SPLITACTIVATE,
    /** I6: the abort looks at the target and reclaims the source later, without a compare-and-swap */
    ABORTNOCAS,
    /** F4, fence on the target: the target believes the route */
    TARGETNOCHECK,
    /** I9: source rows are deleted before routers have acknowledged the folded map */
    CLEANUPNOACK,
    /** M5: the applier does not look at the token and at its own row of the fence */
    ZOMBIEAPPLY,
    /** F4: an update that touches no row meets no trigger and says that it is done */
    ZEROROW,
    /** 4.3: an abort decides although the source cannot take the bucket back */
    ABORTUNPROBED,
    /** 4.3: nothing but the stream and the abort ends a pause */
    NORESYNC,
    /** 4.3, re-sync: the activation does not look whose IMPORTING it is */
    RESYNCNOID,
    /** re-sync: the rows are of a snapshot in which the fence was not looked for */
    RESYNCEARLY,
    /** re-sync: the position of the first copy stays while its rows are replaced */
    RESYNCKEEPPOS,
    /** M5, re-sync: rows are deleted and copied without a look at the token */
    RESYNCZOMBIE;

    /** The rule is about a source that takes no writes. */
    boolean ofReadOnlySource() {
        return ordinal() >= ABORTUNPROBED.ordinal();
    }

    /** What it leads to is that nobody can ever write again, so the source stays as it is. */
    boolean stuckForEver() {
        return this == ABORTUNPROBED || this == NORESYNC;
    }
}
