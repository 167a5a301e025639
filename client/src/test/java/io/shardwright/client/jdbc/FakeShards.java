package io.shardwright.client.jdbc;

import io.shardwright.client.pools.Pools;
import io.shardwright.client.pools.ShardTarget;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Shards whose connections do nothing, can be told to fail, and say when they are given back. */
final class FakeShards implements Pools {
    private static final List<Class<?>> LED_TO = List.of(Statement.class, PreparedStatement.class, ResultSet.class);

    /** Shards to which connections were given back. */
    final List<String> back = new CopyOnWriteArrayList<>();

    /** Calls that fail, as in "ds-0 close", or "ResultSet close" on any shard. */
    final Set<String> broken = ConcurrentHashMap.newKeySet();

    /** Told the shard before a connection to it is given out. */
    volatile Consumer<String> connecting = shard -> {};

    @Override
    public DataSource open(ShardTarget target) {
        return proxy(DataSource.class, method -> {
            connecting.accept(target.shard());
            return connection(target.shard());
        });
    }

    private Connection connection(String shard) {
        return proxy(Connection.class, method -> {
            if (method.equals("close")) {
                back.add(shard);
            }
            failIfBroken(shard, method);
            return null;
        });
    }

    private void failIfBroken(String who, String method) throws SQLException {
        if (broken.contains(who + " " + method)) {
            throw new SQLException(who + " is dead", "08006");
        }
    }

    private interface Answer {
        Object to(String method) throws SQLException;
    }

    private <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            Object answered = answer.to(method.getName());
            Class<?> wanted = method.getReturnType();
            if (answered != null || wanted == void.class || !wanted.isPrimitive() && !LED_TO.contains(wanted)) {
                return answered;
            }
            if (wanted.isPrimitive()) {
                return wanted == boolean.class ? (Object) false : 0;
            }
            return proxy(wanted, call -> {
                failIfBroken(wanted.getSimpleName(), call);
                return null;
            });
        }));
    }
}
