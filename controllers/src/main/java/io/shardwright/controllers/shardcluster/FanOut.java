package io.shardwright.controllers.shardcluster;

import io.shardwright.dataplane.MisplacedRowsException;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The same work on several shards at once; all have ended when it returns, whatever came of one of them. */
final class FanOut {
    private FanOut() {}

    interface Call<T> {
        T on(ShardAccess shard) throws ShardException;
    }

    interface Action {
        void on(ShardAccess shard) throws ShardException;
    }

    /** @throws ShardException the first failure in order of names */
    static <T> SortedMap<String, T> onEach(Collection<ShardAccess> shards, Call<T> call) throws ShardException {
        SortedMap<String, Future<T>> running = new TreeMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            shards.forEach(shard -> running.put(shard.shard(), threads.submit(() -> call.on(shard))));
        }
        SortedMap<String, T> results = new TreeMap<>();
        for (Map.Entry<String, Future<T>> one : running.entrySet()) {
            results.put(one.getKey(), result(one.getKey(), one.getValue()));
        }
        return results;
    }

    private static <T> T result(String shard, Future<T> ended) throws ShardException {
        try {
            return ended.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MisplacedRowsException misplaced) {
                throw new MisplacedRowsException(shard + ": " + misplaced.getMessage());
            }
            if (e.getCause() instanceof ShardException failure) {
                throw new ShardException(shard + ": " + failure.getMessage(), failure.lasting(), failure);
            }
            throw new IllegalStateException(shard + ": " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShardException(shard + ": interrupted", false, e);
        }
    }
}
