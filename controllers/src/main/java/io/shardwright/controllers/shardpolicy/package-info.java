/**
 * ShardPolicy: shows the plan for a cluster, waits for the approval of its hash, and makes the moves of the plan once. The
 * oldest policy of a cluster is in force; another one changes nothing.
 */
package io.shardwright.controllers.shardpolicy;
