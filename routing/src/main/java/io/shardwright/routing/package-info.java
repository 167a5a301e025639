/**
 * The contract between the operator and every router, in any language: key to bucket to shard, the routing table, its
 * JSON form, the rules that every table keeps, the acknowledgement, and the refusal that a database gives to a stale
 * router. No I/O and no library: what stands here must give the same result everywhere.
 */
package io.shardwright.routing;
