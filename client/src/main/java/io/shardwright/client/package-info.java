/**
 * The routers' side of Shardwright: a plain JDBC {@link javax.sql.DataSource} that sends work to the shard that owns its
 * key, and goes on through moves without losing a write.
 *
 * <p>A router believes a table ({@link io.shardwright.client.table}), hears of newer ones and acknowledges them
 * ({@link io.shardwright.client.feed}), and is told by the databases when its belief is old
 * ({@link io.shardwright.client.jdbc}). Safety never depends on a router: the databases refuse what they do not own
 * (SQLSTATE SH409). What depends on it is that the application sees none of this: work that can be repeated is repeated,
 * and only that.
 *
 * <p>What it asks of the shards is counted ({@link io.shardwright.client.load}) and told with the acknowledgements, so that the
 * operator sees which keys are hot.
 *
 * <p>Start at {@link io.shardwright.client.Shardwright}.
 */
package io.shardwright.client;
