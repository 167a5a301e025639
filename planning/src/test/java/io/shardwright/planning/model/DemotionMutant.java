package io.shardwright.planning.model;

/** A rule about two owners taken away; each must lead to a counter-example. */
enum DemotionMutant {
    NONE,
    /** F1: the older owner is closed without its exclusive lock, beside a writer who has passed the check */
    NODRAIN,
    /** 4.4: the higher epoch is closed */
    HIGHER,
    /** 4.4: of equal epochs one is closed all the same, each mover beginning with its own side */
    EQUAL,
    /** the row is written whatever it says by then */
    NOCAS,
    /** what keeps the rows is written after the row, by another transaction */
    RECORDLATER,
    /** a mover deletes rows without a look at what keeps them */
    UNSEEN
}
