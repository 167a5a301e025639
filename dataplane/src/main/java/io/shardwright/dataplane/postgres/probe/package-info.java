/**
 * Looks at databases and never writes: whether a server and its tables can be sharded, where rows lie, whether two databases
 * can exchange buckets. The rules stand as SQL in {@code look-*.sql}, where a DBA can run them.
 */
package io.shardwright.dataplane.postgres.probe;
