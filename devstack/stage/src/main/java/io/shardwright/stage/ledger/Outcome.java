package io.shardwright.stage.ledger;

/** What the application heard of an operation. A router that died before it heard anything heard UNKNOWN. */
public enum Outcome {
    ACKNOWLEDGED,
    /** an error that proves that nothing was committed */
    REFUSED,
    /** committed or not, nobody knows */
    UNKNOWN
}
