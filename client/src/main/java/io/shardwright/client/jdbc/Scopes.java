package io.shardwright.client.jdbc;

import io.shardwright.client.errors.MissingShardKeyException;
import io.shardwright.client.table.RouteTable;
import io.shardwright.routing.ShardKey;
import java.util.Optional;
import java.util.concurrent.Executor;

/** The keys that are open on each thread, innermost first. */
public final class Scopes {
    private final RouteTable table;
    private final ThreadLocal<ShardScope> innermost = new ThreadLocal<>();

    public Scopes(RouteTable table) {
        this.table = table;
    }

    /**
     * @throws MissingShardKeyException when the value is null or blank
     * @throws io.shardwright.routing.UnroutableKeyException when it is no key of the cluster's type
     */
    public ShardKey key(Object value) {
        if (value == null
                || value instanceof CharSequence text && text.toString().isBlank()) {
            throw new MissingShardKeyException("the shard key is null or blank: there is no default shard");
        }
        return ShardKey.of(table.require().table().keyType(), value);
    }

    public ShardScope open(ShardKey key) {
        ShardScope scope = new ShardScope(this, key, innermost.get());
        innermost.set(scope);
        return scope;
    }

    Optional<ShardKey> current() {
        return Optional.ofNullable(innermost.get()).map(ShardScope::key);
    }

    /** @throws MissingShardKeyException when no scope is open on this thread */
    ShardKey require() {
        return current()
                .orElseThrow(() -> new MissingShardKeyException("no shard key in scope on this thread: open one with"
                        + " try (ShardScope s = sw.key(tenantId)) before getConnection(), and wrap executors"));
    }

    /** Carries the scope of the submitting thread over to the threads of the executor. */
    @SuppressWarnings("try")
    public Executor wrap(Executor executor) {
        return task -> {
            Optional<ShardKey> carried = current();
            executor.execute(() -> {
                if (carried.isEmpty()) {
                    task.run();
                    return;
                }
                try (ShardScope scope = open(carried.get())) {
                    task.run();
                }
            });
        };
    }

    void close(ShardScope scope) {
        if (innermost.get() != scope) {
            throw new IllegalStateException("shard scopes are closed on their thread, the innermost first");
        }
        if (scope.outer() == null) {
            innermost.remove();
        } else {
            innermost.set(scope.outer());
        }
    }
}
