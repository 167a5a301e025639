package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.StopMode;
import io.shardwright.servers.PostgresServer.Version;
import io.shardwright.servers.PostgresStandby;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A shard of the shop on a primary and a synchronous standby; it survives any number of failovers. */
final class ReplicatedShard implements AutoCloseable {
    private static final String DATABASE = "shop";
    private static final String NOBODY = "";

    private final String name;
    private final ShopDatabase logins;
    private final List<Endpoint> instances = new ArrayList<>();
    private PostgresServer primary;
    private PostgresStandby standby;
    private int born;

    ReplicatedShard(String name, Version version, Integer... notOwned) {
        this.name = name;
        primary = PostgresServer.builder().version(version).name(nextInstance()).start();
        declare(primary);
        logins = ShopDatabase.fenced(primary, DATABASE, notOwned);
    }

    private String nextInstance() {
        return name + "-" + (char) ('a' + born++);
    }

    private void declare(PostgresServer server) {
        instances.add(new Endpoint(server.name(), server.host(), server.port()));
    }

    /** Makes whole what the test before has left: a standby that streams, and for which every commit waits. */
    void heal() {
        if (standby == null) {
            standby = PostgresStandby.synchronous(primary, nextInstance());
            declare(standby.server());
        } else {
            standby.resume();
        }
    }

    /** The last two instances, as somebody who replaces lost ones would declare them. */
    ShardAccess access() {
        ShardAccess alone = logins.access(name);
        int count = instances.size();
        return new ShardAccess(
                name,
                instances.subList(Math.max(0, count - 2), count),
                DATABASE,
                alone.operator(),
                alone.mover(),
                alone.tls());
    }

    String name() {
        return name;
    }

    void stall() {
        standby.stall();
    }

    void resume() {
        standby.resume();
    }

    /** What a manager of the cluster does that does not want to wait for a standby any longer. */
    void emptyTheListOfStandbys() {
        primary.set("synchronous_standby_names", NOBODY);
    }

    /** The primary is gone at once; the standby takes its place with what it has. */
    void failOver() {
        PostgresServer old = primary;
        old.stop(StopMode.IMMEDIATE);
        standby.promote();
        primary = standby.server();
        standby = null;
        old.close();
    }

    /** One that ends a transaction: heartbeats, which commit by themselves, wait as well, and say nothing of the step. */
    void awaitCommitThatWaitsForTheStandby() {
        Eventually.until(
                "a commit on " + name + " that waits for the standby",
                Duration.ofSeconds(30),
                () -> !query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                                + " AND query LIKE 'COMMIT%' AND starts_with(application_name, 'shardwright/')")
                        .isEmpty(),
                () -> query("SELECT application_name, state, wait_event, query FROM pg_stat_activity")
                        .toString());
    }

    Connection app() throws SQLException {
        return primary.connect(DATABASE, "shop_app", ShopDatabase.APP_PASSWORD);
    }

    List<List<String>> query(String sql) {
        return primary.query(DATABASE, sql);
    }

    /** Past the fence. */
    void plant(String sql) {
        primary.runScript(DATABASE, "SET session_replication_role = replica; " + sql);
    }

    /** "OWNED 1", or "absent". */
    String fence(int bucket) {
        List<List<String>> rows =
                query("SELECT state || ' ' || epoch FROM shardwright.fence WHERE scope = 'b:" + bucket + "'");
        return rows.isEmpty() ? "absent" : rows.getFirst().getFirst();
    }

    void awaitFence(int bucket, String row) {
        Eventually.until(
                "bucket " + bucket + " to be " + row + " on " + name,
                Duration.ofSeconds(30),
                () -> fence(bucket).equals(row),
                () -> fence(bucket));
    }

    boolean owns(int bucket) {
        return fence(bucket).startsWith("OWNED");
    }

    @Override
    public void close() {
        if (standby != null) {
            standby.close();
        }
        primary.close();
    }
}
