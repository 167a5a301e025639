/**
 * The fence in the database: what stands between a stale writer and a bucket that has moved.
 *
 * <p>How it comes to a live database. Until it is <em>armed</em>, a bucket without a fence row is not refused but noted in
 * {@code first_write}, so that no step below costs the application an error, and a crash between any two costs nothing:
 *
 * <ol>
 *   <li>The schema and {@code OWNED} rows of the buckets whose rows lie here; no table of the application is locked.
 *   <li>Table by table the triggers, under a lock that is tried briefly and again. It is the barrier: when it is granted every
 *       earlier write is committed, and every later one passes the trigger.
 *   <li>A scan with every trigger in place: what it does not show has been noted.
 *   <li>Arming, which waits for first writes in flight and turns the notes into {@code OWNED} rows in its own commit. From
 *       here on what has no row is refused, so the buckets that are empty everywhere can be given to shards.
 * </ol>
 */
package io.shardwright.dataplane.postgres.fence;
