/** The fence in the database: what stands between a stale writer and a bucket that has moved. */
package io.shardwright.dataplane.postgres.fence;
