package io.shardwright.client.jdbc;

import io.shardwright.routing.ShardKey;

/** Work for one key, on the thread that opened it, until it is closed. Scopes nest. */
public final class ShardScope implements AutoCloseable {
    private final Scopes scopes;
    private final ShardKey key;
    private final ShardScope outer;

    ShardScope(Scopes scopes, ShardKey key, ShardScope outer) {
        this.scopes = scopes;
        this.key = key;
        this.outer = outer;
    }

    public ShardKey key() {
        return key;
    }

    ShardScope outer() {
        return outer;
    }

    /** @throws IllegalStateException when it is not the innermost scope of this thread */
    @Override
    public void close() {
        scopes.close(this);
    }
}
