/** What routers should read next: pure edits of the routing table, each idempotent, and ownership derived from fences. */
package io.shardwright.planning.table;
