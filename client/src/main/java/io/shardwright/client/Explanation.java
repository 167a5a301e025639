package io.shardwright.client;

import io.shardwright.routing.Route;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.TableOrder;

/**
 * Where work for a key goes and why.
 *
 * @param route shard, bucket, epoch, and the rule that decided
 * @param order of the table that it was read from
 */
public record Explanation(ShardKey key, Route route, ShardEntry shard, TableOrder order) {
    @Override
    public String toString() {
        return "key " + key.text() + " -> bucket " + route.bucket() + " -> " + route.shard() + " (" + shard.host() + ":"
                + shard.port() + ") by " + route.rule() + ", epoch " + route.epoch() + ", table " + order;
    }
}
