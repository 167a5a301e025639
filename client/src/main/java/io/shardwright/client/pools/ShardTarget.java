package io.shardwright.client.pools;

/**
 * The primary of a shard, to be connected to.
 *
 * @param applicationName what sessions must give as {@code application_name}: operators recognise routers by it
 */
public record ShardTarget(String shard, String host, int port, String applicationName) {
    @Override
    public String toString() {
        return shard + " at " + host + ":" + port;
    }
}
