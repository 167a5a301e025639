package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.RefusedWrites;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.time.Duration;

/** A pair whose source has a server of its own: it can be made to refuse writes, and to lose a slot. */
final class ReadOnlySource implements AutoCloseable {
    static final int ROWS = 300;

    final MovePair pair;
    private final PostgresServer server;
    private final RefusedWrites refused;

    ReadOnlySource(Version version) {
        server = PostgresServer.builder()
                .version(version)
                .name("read-only-source")
                .setting("max_slot_wal_keep_size", "1MB") // of which nothing is lost before the next checkpoint
                .setting("checkpoint_timeout", "1h")
                .start();
        Version other = version == Version.OLDEST ? Version.NEWEST : Version.OLDEST;
        pair = MovePair.of(server, SharedServers.of(other));
        refused = RefusedWrites.of(pair.here);
    }

    /** Its mover has died between the fence and the activation; the target lacks a row, has another and has changed a third. */
    MoveTask fenced(int bucket) {
        MoveTask task = filled(bucket);
        DyingMover dying = new DyingMover(MoverStep.ACTIVATE_TARGET, true);
        try (MoverDriver mover = new MoverDriver(task, dying)) {
            dying.kills(mover);
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchOver();
            dying.awaitDeath();
        }
        MovePair.awaitFence(pair.here, bucket, "MOVED 2");
        return unlikeTheSource(task, bucket);
    }

    /** The same without the switch, which takes its time: the fence row is written past the fence. */
    MoveTask fencedAtOnce(int bucket) {
        MoveTask task = filled(bucket);
        try (MoverDriver mover = new MoverDriver(task)) {
            mover.done(Command.PREPARE);
        }
        pair.here.setFence(bucket, FenceState.MOVED, 2, "ds-4", task.moveId());
        return unlikeTheSource(task, bucket);
    }

    private MoveTask filled(int bucket) {
        pair.here.plant("""
            INSERT INTO orders SELECT %1$d, n, 'row ' || n FROM generate_series(1, %2$d) n;
            INSERT INTO order_items SELECT %1$d, n, n, 's' FROM generate_series(1, %2$d) n\
            """.formatted(ShopDatabase.keyIn(bucket), ROWS));
        return pair.task(bucket);
    }

    private MoveTask unlikeTheSource(MoveTask task, int bucket) {
        assertThat(fences(bucket)).isEqualTo("MOVED 2 / IMPORTING 1");
        pair.there.plant("""
            DELETE FROM orders WHERE tenant_id = %1$d AND id = 1;
            UPDATE orders SET note = 'stale' WHERE tenant_id = %1$d AND id = 2;
            INSERT INTO orders VALUES (%1$d, %2$d, 'nowhere else')\
            """.formatted(ShopDatabase.keyIn(bucket), ROWS + 1));
        return task;
    }

    void takesWrites(boolean wanted) {
        refused.refuse(!wanted);
    }

    /** Nobody reads the slot, and the log goes on without it. */
    void losesTheLogOf(MoveTask task) {
        String slot = "shardwright_" + task.moveId().toString().replace("-", "") + "_f";
        for (int i = 0; i < 2; i++) {
            server.runScript("postgres", "SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000))");
            server.runScript("postgres", "SELECT pg_switch_wal()");
        }
        server.runScript("postgres", "CHECKPOINT");
        Eventually.until(
                "the slot to be lost",
                Duration.ofSeconds(30),
                () -> server.query(
                                "postgres",
                                "SELECT wal_status FROM pg_replication_slots WHERE slot_name = '" + slot + "'")
                        .toString()
                        .equals("[[lost]]"),
                () -> server.query("postgres", "SELECT * FROM pg_replication_slots")
                        .toString());
    }

    String fences(int bucket) {
        return MovePair.fence(pair.here, bucket) + " / " + MovePair.fence(pair.there, bucket);
    }

    /** Every row of the bucket, as text. */
    static String rows(ShopDatabase database, int bucket) {
        return database.value(
                "SELECT string_agg(r, chr(10) ORDER BY r) FROM (SELECT o::text AS r FROM orders o WHERE tenant_id = "
                        + ShopDatabase.keyIn(bucket) + " UNION ALL SELECT i::text FROM order_items i WHERE tenant_id = "
                        + ShopDatabase.keyIn(bucket) + ") AS all_rows");
    }

    @Override
    public void close() {
        server.close();
    }
}
