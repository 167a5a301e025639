/**
 * How a move happens on PostgreSQL.
 *
 * <p>A mover copies the rows of some buckets from a source to a target while both serve, applies the source's changes from
 * one replication stream, and then, bucket by bucket, takes ownership over: lock the target, drain the source, fence the
 * source, activate the target. Whatever dies in between, the two fence rows of a bucket say what is true, and the progress
 * row on the target says how far it is.
 *
 * <p>Four things make that safe, and each has one place here:
 *
 * <ul>
 *   <li>{@code truth}: the token. Every incarnation of a mover claims the move on both sides first; each transaction finds
 *       its token or changes nothing. Commits that the other side relies on are confirmed ({@code DurableCommit}).
 *   <li>{@code apply}: each group of changes moves the progress row on by compare-and-swap and reads the fence rows FOR
 *       SHARE before it writes; so nobody writes twice, out of order, or after a decision against the move.
 *   <li>{@code switchover}: the fence's own change, seen in the stream, is the marker behind which no write can come. The
 *       tail, the progress row and the ownership are one transaction of the target. After the fence only the swap of the
 *       target's fence row decides, for the move or against it; or a person, when the target is lost ({@code ForcedReclaim}).
 *       Of two owners that a failover has made the older is closed ({@code Demotion}). A source that takes no writes after the fence
 *       could not take its buckets back, so nothing is decided against them: their rows are copied once more, from a snapshot behind
 *       the fence ({@code Resync}).
 *   <li>{@code cleanup}: what will be left behind is written down before it is made; whoever deletes holds the record and
 *       the fence row that allow it.
 * </ul>
 *
 * <p>Until it is cleaned up a move can be taken back, by a move of its own from the target to the source ({@code reversal}): it
 * finds the rows there and keeps them true by a stream that began before the first fence. Each stream drops what a mover wrote,
 * which it knows by the first change of the transaction, the progress row: else rows would go round.
 *
 * <p>What is said of buckets here is said of keys, too: a {@code Scope} is either. {@code keys} gives a key a fence row of its own before
 * its move, and takes it away when the key is with its bucket again. A bucket moves without the keys that live apart: which they are
 * cannot change meanwhile, because moves of a bucket and of a key in it exclude each other ({@code Exclusion}).
 *
 * <p>{@code sweep} removes what a move has left that nobody carries on any more, one shard at a time.
 *
 * <p>{@code throttle} makes everything that can wait, which is all but the stream, wait while a shard has trouble.
 *
 * <p>{@code copy} fills the target from an exported snapshot, {@code verify} compares both sides at a marker, {@code stream}
 * decodes {@code pgoutput}, {@code tables} knows the shape of what travels. {@code MoveWork} is the table of contents.
 */
package io.shardwright.dataplane.postgres.move;
