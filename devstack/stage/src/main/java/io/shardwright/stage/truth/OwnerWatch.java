package io.shardwright.stage.truth;

import io.shardwright.stage.shop.ShardDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the fence rows of all shards ten times a second and reports every bucket, and every key with a row of its own, that had two owners at
 * one moment.
 *
 * <p>Databases cannot be read at one moment, so two OWNED rows of one pass prove nothing: the bucket may have moved between
 * the two reads. But the row of the lower epoch is read again afterwards; epochs only grow, so if it is still OWNED with the
 * same epoch, it was so when the other one was read, and both owned the bucket then. Equal epochs are a fault at once.
 */
public final class OwnerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerWatch.class);
    private static final String OWNED = "SELECT scope, epoch FROM shardwright.fence WHERE state = 'OWNED'";
    private static final String OWNED_HERE =
            "SELECT count(*) FROM shardwright.fence WHERE state = 'OWNED' AND scope = ? AND epoch = ?";
    private static final long INTERVAL_MILLIS = 100;

    /** The table or its schema is not there: the connection is as good as before, and ten new ones a second would cost a core. */
    private static final Set<String> NO_FENCE = Set.of("42P01", "3F000");

    private final List<ShardDatabase> shards;
    private final Map<String, Connection> connections = new HashMap<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final AtomicLong passes = new AtomicLong();
    private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("owner-watch").daemon().factory());

    private final ScheduledFuture<?> watching;

    private record Owner(ShardDatabase shard, long epoch) {}

    /** Begins at once; databases without a fence, or that do not answer, own nothing that it could see. */
    public OwnerWatch(List<ShardDatabase> shards) {
        this.shards = List.copyOf(shards);
        watching = reader.scheduleWithFixedDelay(this::pass, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Every proven pair of owners, in words. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /** Passes that have read at least one fence: a watch that saw nothing proves nothing. */
    public long passes() {
        return passes.get();
    }

    private void pass() {
        var owners = new HashMap<String, List<Owner>>();
        for (var shard : shards) {
            owned(shard)
                    .forEach((scope, epoch) -> owners.computeIfAbsent(scope, key -> new ArrayList<>())
                            .add(new Owner(shard, epoch)));
        }
        if (!owners.isEmpty()) {
            passes.incrementAndGet();
        }
        owners.forEach((scope, of) -> {
            if (of.size() > 1) {
                judge(scope, of);
            }
        });
    }

    private void judge(String scope, List<Owner> owners) {
        var highest = owners.stream().mapToLong(Owner::epoch).max().orElseThrow();
        var sameEpoch =
                owners.stream().filter(owner -> owner.epoch() == highest).count() > 1;
        var still = owners.stream().filter(owner -> owner.epoch() < highest).anyMatch(owner -> stillOwns(scope, owner));
        if (sameEpoch || still) {
            violations.add("%s had two owners: %s".formatted(words(scope), words(owners)));
        }
    }

    private static String words(String scope) {
        return (scope.startsWith("b:") ? "bucket " : "key ") + scope.substring(2);
    }

    private static String words(List<Owner> owners) {
        return owners.stream()
                .map(owner -> owner.shard().name() + " at epoch " + owner.epoch())
                .toList()
                .toString();
    }

    private Map<String, Long> owned(ShardDatabase shard) {
        var owned = new HashMap<String, Long>();
        try (var statement = connection(shard).createStatement();
                var rows = statement.executeQuery(OWNED)) {
            while (rows.next()) {
                owned.put(rows.getString(1), rows.getLong(2));
            }
            return owned;
        } catch (SQLException e) {
            if (!NO_FENCE.contains(String.valueOf(e.getSQLState()))) {
                forget(shard);
            }
            return Map.of();
        }
    }

    private boolean stillOwns(String scope, Owner owner) {
        try (var statement = connection(owner.shard()).prepareStatement(OWNED_HERE)) {
            statement.setString(1, scope);
            statement.setLong(2, owner.epoch());
            try (var rows = statement.executeQuery()) {
                return rows.next() && rows.getLong(1) == 1;
            }
        } catch (SQLException e) {
            forget(owner.shard());
            return false;
        }
    }

    private Connection connection(ShardDatabase shard) throws SQLException {
        var open = connections.get(shard.name());
        if (open == null) {
            open = shard.server().connect(ShardDatabase.DATABASE);
            open.setNetworkTimeout(Runnable::run, 5_000);
            connections.put(shard.name(), open);
        }
        return open;
    }

    /** A broken connection is opened again by the next pass. */
    private void forget(ShardDatabase shard) {
        var broken = connections.remove(shard.name());
        if (broken != null) {
            try {
                broken.close();
            } catch (SQLException e) {
                LOG.debug("the connection to {} was broken beyond closing", shard.name(), e);
            }
        }
    }

    /** @throws IllegalStateException when the watch had ended before: it cannot vouch for anything */
    @Override
    public void close() {
        var ended = watching.isDone();
        reader.shutdown();
        try {
            if (!reader.awaitTermination(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the watch of the owners does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        shards.forEach(this::forget);
        if (ended) {
            throw new IllegalStateException("the watch of the owners broke off after " + passes + " passes");
        }
    }
}
