/**
 * The ledger of the live load: each router writes down what it is about to do before it does it, and what the database
 * answered. Afterwards {@link io.shardwright.stage.ledger.LedgerAudit} compares all ledgers with all databases: an
 * acknowledged write that is not where it should be is lost, whatever any status says.
 */
package io.shardwright.stage.ledger;
