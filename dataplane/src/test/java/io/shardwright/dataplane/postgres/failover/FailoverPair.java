package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.MoverDriver;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer.Version;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Two replicated shards of the shop: the source owns every bucket at the start, the target none. */
final class FailoverPair {
    /** As {@link MoverDriver#PATIENT}, for whom a failover may lose a commit. */
    static final Limits ACCEPTING =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofSeconds(30), 1 << 20, 1, true);

    private static final int ROWS = 20;

    private static FailoverPair shared;

    final ReplicatedShard source;
    final ReplicatedShard target;

    private FailoverPair() {
        Integer[] all = IntStream.range(0, 100).boxed().toArray(Integer[]::new);
        source = new ReplicatedShard("ds-0", Version.OLDEST);
        target = new ReplicatedShard("ds-4", Version.NEWEST, all);
    }

    /** The same servers for all tests, each test with a bucket of its own; both shards are whole when it begins. */
    static synchronized FailoverPair whole() {
        if (shared == null) {
            FailoverPair pair = new FailoverPair();
            shared = pair;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                pair.source.close();
                pair.target.close();
            }));
        }
        shared.heal();
        return shared;
    }

    void heal() {
        source.heal();
        target.heal();
    }

    /** A move of one bucket that has some rows. */
    MoveTask task(int bucket) {
        return task(bucket, MoverDriver.PATIENT);
    }

    MoveTask task(int bucket, Limits limits) {
        source.plant("INSERT INTO orders SELECT %d, n, 'old' FROM generate_series(1, %d) n"
                .formatted(ShopDatabase.keyIn(bucket), ROWS));
        return task(UUID.randomUUID(), bucket, limits);
    }

    /** The same move after instances were replaced. */
    MoveTask again(MoveTask task) {
        return task(task.moveId(), task.scopes().first().bucket(), task.limits());
    }

    private MoveTask task(UUID moveId, int bucket, Limits limits) {
        return new MoveTask(
                moveId, "orders", source.access(), target.access(), ShopDatabase.SCHEMA, Scope.buckets(bucket), limits);
    }

    /** Fences the source, durably, and then the mover is gone. */
    void fenceAndDie(MoveTask task) {
        AtomicReference<MoverDriver> victim = new AtomicReference<>();
        Interruption dying = new Interruption()
                .before(MoverStep.ACTIVATE_TARGET, () -> victim.get().kill());
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            victim.set(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            dying.awaitReached(MoverStep.ACTIVATE_TARGET);
        }
        awaitFenced(task.scopes().first().bucket());
    }

    /** The marker may have come before the standby had the fence. */
    void awaitFenced(int bucket) {
        Eventually.until(
                "the fence of bucket " + bucket,
                Duration.ofSeconds(30),
                () -> fences(bucket).equals("MOVED 2 / IMPORTING 1"),
                () -> fences(bucket));
    }

    /** Nothing of the move is left in either database; a server needs a moment to end the sessions of a closed mover. */
    void awaitNothingLeft(MoveTask task) {
        Supplier<List<List<String>>> left = () -> Stream.of(source, target)
                .flatMap(shard -> shard.query(leftoversSql(task)).stream())
                .toList();
        Eventually.until(
                "nothing to be left",
                Duration.ofSeconds(30),
                () -> left.get().isEmpty(),
                () -> left.get().toString());
    }

    /** Whatever carries the move's id but the fence rows, which stay. */
    static String leftoversSql(MoveTask task) {
        return """
            SELECT 'slot', slot_name FROM pg_replication_slots WHERE slot_name ~ '%1$s'
            UNION ALL SELECT 'session', application_name FROM pg_stat_activity WHERE application_name ~ '%1$s'
            UNION ALL SELECT 'record', name FROM shardwright.cleanup_record WHERE move_id = '%2$s'
            UNION ALL SELECT 'progress', token FROM shardwright.move_progress WHERE move_id = '%2$s'
            UNION ALL SELECT 'claim', token FROM shardwright.claim WHERE move_id = '%2$s'
            UNION ALL SELECT 'heartbeat', mark FROM shardwright.heartbeat WHERE move_id = '%2$s'
            UNION ALL SELECT 'publication', pubname FROM pg_publication WHERE pubname <> 'shardwright'
            UNION ALL SELECT 'lock', mode FROM pg_locks WHERE locktype = 'advisory' AND classid = 7001
              AND objid = %3$d AND database = (SELECT oid FROM pg_database WHERE datname = current_database())\
            """.formatted(
                        task.moveId().toString().replace("-", ""),
                        task.moveId(),
                        task.scopes().first().bucket());
    }

    /** Both fence rows, "MOVED 2 / IMPORTING 1". */
    String fences(int bucket) {
        return source.fence(bucket) + " / " + target.fence(bucket);
    }

    List<String> owners(int bucket) {
        return Stream.of(source, target)
                .filter(shard -> shard.owns(bucket))
                .map(ReplicatedShard::name)
                .toList();
    }
}
