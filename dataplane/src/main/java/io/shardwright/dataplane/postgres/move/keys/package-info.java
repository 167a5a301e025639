/**
 * What only moves of keys do, at their ends: a key gets a fence row of its own on the owner of its bucket, and loses it when it has
 * come back there. In between it moves as a bucket does.
 *
 * <p>While a key has a row, that row decides, under the locks of the bucket and of the key; a writer whose snapshot is older than the
 * row sees that the row of the bucket has changed, because {@code overrides} counts the rows of its keys. Both changes are made under
 * the exclusive locks, by one short transaction that finds the token of this mover and each row exactly as it was seen.
 */
package io.shardwright.dataplane.postgres.move.keys;
