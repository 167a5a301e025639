/**
 * The sample application as a process: a router of the {@code client} library that writes orders and their items at a fixed
 * rate, whatever the databases do meanwhile (open loop), and keeps the ledger of it.
 *
 * <p>Half of the operations are autocommit statements, half explicit transactions that read before they write, half of those
 * again as callbacks. A row is written by the process that made it and by one operation at a time, so its last acknowledged
 * value is what must be found afterwards.
 */
package io.shardwright.stage.workload;
