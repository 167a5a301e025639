package io.shardwright.controllers.world;

import io.shardwright.dataplane.MisplacedRowsException;
import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.Shards;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Databases in memory that keep the contract of the ports: fence rows by compare-and-swap, adoption only where no row is,
 * every call recorded. A shard is the host name of its endpoint, so tests name shards by host.
 */
public final class FenceWorld implements Shards {
    private final SortedMap<String, FakeShard> shards = new TreeMap<>();
    private final List<String> effects = new ArrayList<>();
    private final SortedMap<Scope, String> demoted = new TreeMap<>();

    /** One database. */
    private static final class FakeShard {
        private final SortedMap<Scope, FenceRow> fence = new TreeMap<>();
        private final SortedMap<Integer, Long> rows = new TreeMap<>();
        private final SortedMap<Integer, Long> rowsByModulo = new TreeMap<>();
        private final List<ShardSight.Problem> problems = new ArrayList<>();
        private String identity;
        private final SortedSet<Integer> firstWrites = new TreeSet<>();
        private int version;
        private boolean triggers;
        private boolean armed;
    }

    public synchronized FenceWorld withShard(String host) {
        FakeShard shard = new FakeShard();
        shard.identity = "system-" + host;
        shards.put(host, shard);
        return this;
    }

    /** Rows of a bucket that the application wrote. */
    public synchronized FenceWorld withRows(String host, int bucket, long rows) {
        shards.get(host).rows.put(bucket, rows);
        return this;
    }

    public synchronized FenceWorld withModuloRows(String host, int bucket, long rows) {
        shards.get(host).rowsByModulo.put(bucket, rows);
        return this;
    }

    public synchronized void breakShard(String host, ShardSight.Problem.Kind kind, String message) {
        shards.get(host).problems.add(new ShardSight.Problem(kind, message));
    }

    public synchronized void healShard(String host) {
        shards.get(host).problems.clear();
    }

    public synchronized void replaceDatabase(String host, String identity) {
        shards.get(host).identity = identity;
    }

    /** Everything that changed a database, in order: "install ds-0", "adopt ds-0 25", "fence ds-0 17". */
    public synchronized List<String> effects() {
        return List.copyOf(effects);
    }

    public synchronized SortedMap<Integer, FenceRow> fence(String host) {
        return buckets(shards.get(host));
    }

    public synchronized long owned(String host) {
        return shards.get(host).fence.values().stream()
                .filter(row -> row.state() == FenceState.OWNED)
                .count();
    }

    /** As a move that is gone has left it. */
    public synchronized void plant(String host, FenceRow row) {
        shards.get(host).fence.put(row.scope(), row);
    }

    @Override
    public int fenceVersion() {
        return 1;
    }

    @Override
    public synchronized ShardSight look(ShardAccess access, ShardedSchema schema) {
        FakeShard shard = shard(access);
        if (!shard.problems.isEmpty()) {
            return ShardSight.unread(access.shard(), shard.problems);
        }
        return new ShardSight(
                access.shard(),
                Optional.of(access.instances().get(0)),
                "17.2",
                shard.identity,
                1,
                shard.version,
                buckets(shard),
                shard.armed,
                shard.firstWrites,
                "schema-" + shard.version,
                shard.version > 0 && !shard.triggers
                        ? List.of(new ShardSight.Problem(ShardSight.Problem.Kind.FENCE_DAMAGED, "no triggers"))
                        : List.of(),
                keys(shard));
    }

    @Override
    public synchronized Placement scan(ShardAccess access, ShardedSchema schema) {
        FakeShard shard = shard(access);
        SortedMap<Integer, List<String>> examples = new TreeMap<>();
        shard.rows.keySet().forEach(bucket -> examples.put(bucket, List.of("key-" + bucket)));
        return new Placement(
                access.shard(),
                Map.copyOf(shard.rows),
                examples,
                Map.copyOf(shard.rowsByModulo),
                Map.of(),
                shard.triggers);
    }

    @Override
    public synchronized void installFence(ShardAccess access, ShardedSchema schema) throws ShardException {
        FakeShard shard = shard(access);
        if (!shard.problems.isEmpty()) {
            throw new ShardException("cannot install", true, null);
        }
        if (shard.version == 0) {
            shard.version = fenceVersion();
            shard.armed = true;
        }
        if (!shard.triggers) {
            shard.triggers = true;
            effects.add("install " + access.shard());
        }
    }

    @Override
    public synchronized void prepare(ShardAccess access, ShardedSchema schema, SortedSet<Integer> buckets)
            throws ShardException {
        FakeShard shard = shard(access);
        if (!shard.problems.isEmpty()) {
            throw new ShardException("cannot prepare", true, null);
        }
        if (shard.version == 0) {
            shard.version = fenceVersion();
            effects.add("prepare " + access.shard());
        }
        own(access, buckets);
    }

    @Override
    public synchronized void arm(ShardAccess access, ShardedSchema schema) {
        FakeShard shard = shard(access);
        shard.armed = true;
        own(access, shard.firstWrites);
        shard.firstWrites.clear();
        effects.add("arm " + access.shard());
    }

    @Override
    public synchronized void release(ShardAccess access, ShardedSchema schema, SortedSet<Integer> buckets)
            throws MisplacedRowsException {
        FakeShard shard = shard(access);
        if (buckets.stream().anyMatch(bucket -> shard.rows.getOrDefault(bucket, 0L) > 0)) {
            throw new MisplacedRowsException("rows of " + buckets);
        }
        shard.fence.keySet().removeAll(Scope.buckets(buckets));
        shard.firstWrites.removeAll(buckets);
        effects.add("release " + access.shard() + " " + buckets);
    }

    /** A live application writes a row. @throws IllegalStateException when the fence refuses it */
    public synchronized void write(String host, int bucket) {
        FakeShard shard = shards.get(host);
        if (shard.triggers && !shard.fence.containsKey(Scope.bucket(bucket))) {
            if (shard.armed) {
                throw new IllegalStateException("bucket " + bucket + " is ABSENT on " + host);
            }
            shard.firstWrites.add(bucket);
        }
        shard.rows.merge(bucket, 1L, Long::sum);
    }

    private void own(ShardAccess access, SortedSet<Integer> buckets) {
        FakeShard shard = shard(access);
        buckets.forEach(bucket -> shard.fence.putIfAbsent(
                Scope.bucket(bucket), new FenceRow(bucket, FenceState.OWNED, 1, access.shard(), null)));
    }

    @Override
    public synchronized void adopt(ShardAccess access, SortedSet<Integer> buckets) {
        effects.add("adopt " + access.shard() + " " + buckets.size());
        own(access, buckets);
    }

    private static SortedMap<Scope, FenceRow> keys(FakeShard shard) {
        SortedMap<Scope, FenceRow> rows = new TreeMap<>(shard.fence);
        rows.keySet().removeIf(scope -> !scope.isKey());
        return rows;
    }

    private static SortedMap<Integer, FenceRow> buckets(FakeShard shard) {
        SortedMap<Integer, FenceRow> buckets = new TreeMap<>();
        shard.fence.values().stream()
                .filter(row -> !row.scope().isKey())
                .forEach(row -> buckets.put(row.bucket(), row));
        return buckets;
    }

    private FakeShard shard(ShardAccess access) {
        FakeShard shard = shards.get(access.instances().get(0).host());
        if (shard == null) {
            throw new IllegalStateException("no such database: " + access.instances());
        }
        return shard;
    }

    /** A row is written when the one that is there is as expected; an absent row is expected as null. */
    synchronized boolean swap(ShardAccess access, Scope scope, FenceState expected, FenceRow next) {
        FakeShard shard = shard(access);
        FenceRow there = shard.fence.get(scope);
        if ((there == null ? null : there.state()) != expected) {
            return false;
        }
        shard.fence.put(scope, next);
        effects.add(next.state().name().toLowerCase(java.util.Locale.ROOT) + " " + access.shard() + " " + scope);
        return true;
    }

    /** The older of two owners becomes a tombstone that leads to the other, and its rows are to be looked at. */
    synchronized void demote(ShardAccess access, Scope scope, FenceRow owner) {
        FenceRow tombstone = row(scope, FenceState.MOVED, owner.epoch(), owner.owner(), owner.moveId());
        if (swap(access, scope, FenceState.OWNED, tombstone)) {
            demoted.put(scope, access.shard());
        }
    }

    synchronized SortedMap<Scope, String> demoted() {
        return new TreeMap<>(demoted);
    }

    /** The rows that decide: a key without one of its own is where its bucket is owned. */
    synchronized SortedMap<Scope, FenceRow> rows(ShardAccess access, SortedSet<Scope> scopes) {
        SortedMap<Scope, FenceRow> rows = new TreeMap<>(shard(access).fence);
        scopes.stream().filter(Scope::isKey).forEach(key -> {
            FenceRow bucket = rows.get(key.ofBucket());
            if (bucket != null && bucket.state() == FenceState.OWNED) {
                rows.putIfAbsent(key, bucket.of(key));
            }
        });
        rows.keySet().retainAll(scopes);
        return rows;
    }

    /** K1: keys get rows of their own. */
    synchronized void split(ShardAccess access, SortedSet<Scope> keys) {
        rows(access, keys).forEach(shard(access).fence::putIfAbsent);
    }

    /** K4: keys that have come to the shard that owns their bucket need no row any more, nowhere. */
    synchronized void foldBack(ShardAccess access, SortedSet<Scope> keys) {
        keys.stream()
                .filter(Scope::isKey)
                .filter(key -> Optional.ofNullable(shard(access).fence.get(key.ofBucket()))
                        .filter(row -> row.state() == FenceState.OWNED)
                        .isPresent())
                .forEach(key -> shards.values().forEach(shard -> shard.fence.remove(key)));
    }

    public synchronized List<String> keys(String host) {
        return shards.get(host).fence.values().stream()
                .filter(row -> row.scope().isKey())
                .map(row -> row.scope().name() + " " + row.state())
                .toList();
    }

    synchronized boolean readable(ShardAccess access) {
        return shard(access).problems.isEmpty();
    }

    static FenceRow row(Scope scope, FenceState state, long epoch, String owner, UUID move) {
        return new FenceRow(scope, state, epoch, owner, move);
    }
}
