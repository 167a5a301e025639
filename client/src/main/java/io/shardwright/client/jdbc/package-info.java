/**
 * Plain JDBC over the shards.
 *
 * <p>A logical connection is a {@link io.shardwright.client.jdbc.Session}: it remembers settings and, for each unit of
 * work (a transaction, or an autocommit statement until its result set closes), makes an
 * {@link io.shardwright.client.jdbc.Attempt} with a fresh route, the table that gave it pinned, and a physical connection.
 * Statements are recordings ({@link io.shardwright.client.jdbc.StatementCall}) that can be played on any physical
 * connection, so a unit that the fence has refused can be played again elsewhere, as long as the application has seen
 * nothing of it.
 *
 * <p>Before a unit that may write, {@code shardwright.enter(bucket, key, NULL)} is played: it waits while the bucket is being
 * switched, refuses when this shard does not own it, and else keeps it here until the transaction ends. It travels in the
 * same message as the first statement where pgjdbc can do so. A plain {@code INSERT .. VALUES} in autocommit goes without:
 * the row trigger alone is enough for a statement that reads nothing.
 */
package io.shardwright.client.jdbc;
