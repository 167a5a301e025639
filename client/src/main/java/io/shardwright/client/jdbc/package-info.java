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
 * same message as the first statement where pgjdbc can do so; in autocommit only where that message is certainly one
 * transaction (one statement that gives no rows), else BEGIN and COMMIT are put around both. A plain {@code INSERT .. VALUES} in autocommit goes without:
 * the row trigger alone is enough for a statement that reads nothing.
 *
 * <p>Physical connections are shared and change with the shard, so they keep no state of a session: settings that end with
 * their transaction ({@code SET LOCAL}) and the setters of the connection work as ever; {@code SET}, {@code RESET},
 * {@code DISCARD} and a changed {@code ApplicationName} are refused. What a function sets by {@code set_config(.., false)}
 * cannot be seen from here and is up to the application.
 */
package io.shardwright.client.jdbc;
