package io.shardwright.client.pools;

import javax.sql.DataSource;

/**
 * Opens the pool of a shard; any DataSource serves. It must give connections in their default state (autocommit, default
 * isolation, read-write), as HikariCP does, and sessions must carry {@link ShardTarget#applicationName()}. A DataSource
 * that is AutoCloseable is closed when its shard leaves the table or the router closes.
 */
@FunctionalInterface
public interface Pools {
    DataSource open(ShardTarget target);

    /** HikariCP over pgjdbc with its defaults; for more see {@link HikariPools}. */
    static Pools hikari(String database, String username, String password) {
        return HikariPools.postgres(database, username, password, config -> {});
    }
}
