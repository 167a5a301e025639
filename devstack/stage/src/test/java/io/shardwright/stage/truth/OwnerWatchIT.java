package io.shardwright.stage.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.servers.CertificateAuthority;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.stage.Checkout;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopDatabases;
import io.shardwright.stage.shop.ShopLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two real shards with a hand-made fence table: what a broken switch would leave must be seen, what a good one does not. */
class OwnerWatchIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static ShopDatabases databases;

    @BeforeAll
    static void startTwoShards() {
        databases = ShopDatabases.start(
                new ShopLayout(16, 2, 2, 3),
                0,
                List.of(),
                new ShopDatabases.Setup(
                        PostgresServer.Version.OLDEST,
                        false,
                        CertificateAuthority.create("test"),
                        Checkout.find().databaseScript()));
        databases.all().forEach(shard -> shard.run("""
                CREATE SCHEMA shardwright;
                CREATE TABLE shardwright.fence (scope text PRIMARY KEY, bucket int, state text, epoch bigint, owner text,
                  move_id uuid)"""));
    }

    @AfterAll
    static void stop() {
        databases.close();
    }

    @AfterEach
    void emptyTheFences() {
        databases.all().forEach(shard -> shard.run("DELETE FROM shardwright.fence"));
    }

    @Test
    void seedsEveryShardWithItsOwnTenantsOnly() {
        for (int shard = 0; shard < 2; shard++) {
            var tenants = databases.layout().tenantsOf(shard).stream()
                    .sorted()
                    .map(tenant -> List.of(Long.toString(tenant)))
                    .toList();

            assertThat(databases.all().get(shard).query("SELECT DISTINCT tenant_id FROM orders ORDER BY 1"))
                    .isEqualTo(tenants);
        }
    }

    @Test
    void letsTheApplicationInWithItsPasswordAndNoOther() throws Exception {
        var shard = databases.all().get(0);

        try (var connection = shard.server()
                        .connect(
                                "shop",
                                ShardDatabase.APPLICATION_LOGIN,
                                databases.passwords().application());
                var statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE orders SET status = 'seen'"))
                    .isPositive();
        }
        assertThat(shard.query(
                        "SELECT rolsuper FROM pg_roles WHERE rolname LIKE 'shardwright%' OR rolname LIKE 'shop%'"))
                .isNotEmpty()
                .allMatch(row -> row.get(0).equals("f"));
    }

    @Test
    void seesABucketThatHasTwoOwnersAtOneMoment() {
        owned("ds-0", 3, 7);
        owned("ds-1", 3, 8);

        try (var watch = new OwnerWatch(databases.all())) {
            Eventually.until("the violation", LIMIT, () -> !watch.violations().isEmpty(), () -> "none seen");

            assertThat(watch.violations().get(0)).contains("bucket 3", "ds-0 at epoch 7", "ds-1 at epoch 8");
        }
    }

    @Test
    void seesTwoOwnersOfTheSameEpoch() {
        owned("ds-0", 3, 7);
        owned("ds-1", 3, 7);

        try (var watch = new OwnerWatch(databases.all())) {
            Eventually.until("the violation", LIMIT, () -> !watch.violations().isEmpty(), () -> "none seen");
        }
    }

    @Test
    void keepsItsSessionOnAShardThatHasNoFenceYet() {
        owned("ds-0", 3, 1);
        databases.shard("ds-1").run("ALTER SCHEMA shardwright RENAME TO away");

        try (var watch = new OwnerWatch(databases.all())) {
            Eventually.until("one session", LIMIT, () -> sessions("ds-1").size() == 1, () -> "" + sessions("ds-1"));
            var first = sessions("ds-1");
            long passes = watch.passes() + 5;
            Eventually.until("five passes", LIMIT, () -> watch.passes() >= passes, () -> "" + watch.passes());

            assertThat(sessions("ds-1")).hasSize(1).isEqualTo(first);
        } finally {
            databases.shard("ds-1").run("ALTER SCHEMA away RENAME TO shardwright");
        }
    }

    private static List<List<String>> sessions(String shard) {
        return databases
                .shard(shard)
                .query("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND backend_type = 'client backend' AND pid <> pg_backend_pid()");
    }

    @Test
    void isNotFooledByMovesThatHappenBetweenItsReads() {
        owned("ds-0", 3, 1);

        try (var watch = new OwnerWatch(databases.all())) {
            for (int epoch = 2; watch.passes() < 20; epoch++) {
                var from = databases.all().get(epoch % 2);
                var to = databases.all().get((epoch + 1) % 2);
                from.run("UPDATE shardwright.fence SET state = 'MOVED', epoch = " + epoch + " WHERE state = 'OWNED'");
                owned(to.name(), 3, epoch);
            }

            assertThat(watch.violations()).isEmpty();
        }
    }

    @Test
    void readsOwnersAndGiversFromTheFenceRows() {
        owned("ds-0", 1, 1);
        owned("ds-1", 2, 2);
        databases.shard("ds-0").run("INSERT INTO shardwright.fence VALUES ('b:2', 2, 'MOVED', 2, 'ds-1')");

        var truth = new FenceTruth(databases.all());

        assertThat(truth.owned().get("ds-0")).containsExactly(1);
        assertThat(truth.owned().get("ds-1")).containsExactly(2);
        assertThat(truth.movedFrom()).containsOnlyKeys("ds-0").containsEntry("ds-0", 1L);
    }

    private static void owned(String shard, int bucket, long epoch) {
        databases.shard(shard).run("""
                        INSERT INTO shardwright.fence VALUES ('b:%d', %d, 'OWNED', %d, '%s')
                        ON CONFLICT (scope) DO UPDATE SET state = 'OWNED', epoch = excluded.epoch""".formatted(bucket, bucket, epoch, shard));
    }
}
