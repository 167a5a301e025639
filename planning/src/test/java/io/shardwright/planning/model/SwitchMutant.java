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
    ZEROROW
}
