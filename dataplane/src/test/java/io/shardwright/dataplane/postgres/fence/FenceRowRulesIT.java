package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static io.shardwright.dataplane.postgres.ShopDatabase.keysIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.KeyType;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What no one may do to sharded tables (F5), partitions, rows that are touched by nobody (F4), and keys with rows of their own. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceRowRulesIT {
    private static final int OWNED = 17;
    private static final int MOVED = 42;
    private static final String EVENTS = """
            SET ROLE shop_owner;
            CREATE TABLE events (tenant_id bigint, id bigint, note text, PRIMARY KEY (tenant_id, id)) PARTITION BY RANGE (id);
            CREATE TABLE events_low PARTITION OF events FOR VALUES FROM (0) TO (100);
            CREATE TABLE events_high PARTITION OF events FOR VALUES FROM (100) TO (200) PARTITION BY RANGE (tenant_id);
            CREATE TABLE events_high_all PARTITION OF events_high DEFAULT;
            GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON events, events_low, events_high, events_high_all TO shop_app;
            RESET ROLE;
            """;

    @Parameter
    Version version;

    private ShopDatabase shop;
    private Other app;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) throws SQLException {
        ShardedSchema schema = new ShardedSchema(
                KeyType.INT64,
                ShopDatabase.BUCKETING,
                List.of(
                        new Table("public", "orders", "tenant_id"),
                        new Table("public", "order_items", "tenant_id"),
                        new Table("public", "events", "tenant_id")),
                List.of());
        shop = ShopDatabase.create(SharedServers.of(version), "row_rules", ShopDatabase.TABLES + EVENTS)
                .fence(schema);
        shop.setFence(MOVED, FenceState.MOVED, 8, "ds-4", null);
        shop.plant("GRANT TRUNCATE ON orders, order_items TO shop_app");
        app = new Other(shop, shop.app());
    }

    @BeforeEach
    void fillTables() {
        shop.plant("""
                TRUNCATE orders, order_items, events;
                DELETE FROM shardwright.fence WHERE scope LIKE 'k:%%'; UPDATE shardwright.fence SET overrides = 0;
                INSERT INTO orders VALUES (%1$d, 1, 'old'), (%2$d, 1, 'old');
                INSERT INTO events VALUES (%1$d, 1, 'old'), (%2$d, 1, 'old'), (%1$d, 101, 'old'), (%2$d, 101, 'old')""".formatted(keyIn(OWNED), keyIn(MOVED)));
    }

    @AfterEach
    void resetSession() throws SQLException {
        app.reset();
    }

    @AfterParameterizedClassInvocation
    void closeSession() throws SQLException {
        app.close();
    }

    private void refused(String sqlState, String sql) {
        assertThat(Refusal.of(() -> app.run(sql)).sqlState()).as(sql).isEqualTo(sqlState);
    }

    @Test
    void theShardKeyOfARowCannotBeChanged() {
        List<Long> keys = keysIn(OWNED, 2);
        refused("0A000", "UPDATE orders SET tenant_id = %d WHERE tenant_id = %d".formatted(keys.get(1), keys.get(0)));
        refused(
                "0A000",
                "INSERT INTO orders VALUES (%1$d, 1) ON CONFLICT (tenant_id, id) DO UPDATE SET tenant_id = %2$d"
                        .formatted(keys.get(0), keys.get(1)));
    }

    @Test
    void otherColumnsOfTheKeyMayChange() throws SQLException {
        app.run("UPDATE orders SET id = 2 WHERE tenant_id = " + keyIn(OWNED));

        assertThat(shop.value("SELECT id FROM orders WHERE tenant_id = " + keyIn(OWNED)))
                .isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders CASCADE",
                "order_items",
                "events",
                "events_low",
                "events_high",
                "events_high_all",
                "ONLY events_low"
            })
    void truncateIsRefusedForTablesAndForEachPartition(String table) {
        refused("0A000", "TRUNCATE " + table);
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "events_low"})
    void aPartitionIsFencedHoweverItIsReached(String table) throws SQLException {
        refused("SH409", "INSERT INTO %s VALUES (%d, 2)".formatted(table, keyIn(MOVED)));
        refused("SH409", "UPDATE %s SET note = 'fresh' WHERE tenant_id = %d".formatted(table, keyIn(MOVED)));
        refused("SH409", "DELETE FROM %s WHERE tenant_id = %d".formatted(table, keyIn(MOVED)));

        app.run("INSERT INTO %s VALUES (%d, 2, 'fresh')".formatted(table, keyIn(OWNED)));
        assertThat(shop.count("events_low WHERE note = 'fresh'")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE events_next PARTITION OF events FOR VALUES FROM (200) TO (300)",
                "CREATE TABLE events_next (LIKE events INCLUDING ALL);"
                        + " ALTER TABLE events ATTACH PARTITION events_next FOR VALUES FROM (200) TO (300)"
            })
    void theOwnerAddsAPartitionAndItIsFenced(String ddl) throws SQLException {
        try (Other owner = new Other(shop, shop.superuser())) {
            owner.run("SET ROLE shop_owner");

            owner.run(ddl);

            owner.run("GRANT INSERT ON events_next TO shop_app");
            for (String table : List.of("events", "events_next")) {
                refused("SH409", "INSERT INTO %s VALUES (%d, 250)".formatted(table, keyIn(MOVED)));
            }
            app.run("INSERT INTO events VALUES (%d, 250)".formatted(keyIn(OWNED)));
            owner.run("DROP TABLE events_next");
        }
    }

    @Test
    void aRowMayGoFromOnePartitionToAnother() throws SQLException {
        refused("SH409", "UPDATE events SET id = 150 WHERE id = 1 AND tenant_id = " + keyIn(MOVED));

        app.run("UPDATE events SET id = 150 WHERE id = 1 AND tenant_id = " + keyIn(OWNED));
        assertThat(shop.count("events_high WHERE id = 150")).isEqualTo(1);
    }

    @Test
    void aCascadeStaysInsideItsBucket() throws SQLException {
        shop.plant("INSERT INTO order_items VALUES (%1$d, 1, 1), (%2$d, 1, 1)".formatted(keyIn(OWNED), keyIn(MOVED)));

        refused("SH409", "DELETE FROM orders");
        app.run("DELETE FROM orders WHERE tenant_id = " + keyIn(OWNED));

        assertThat(shop.count("order_items")).isEqualTo(1);
    }

    @Test
    void aStatementThatFindsNoRowLooksLikeSuccessUnlessEnterLeads() throws SQLException {
        shop.plant("DELETE FROM orders WHERE tenant_id = " + keyIn(MOVED));
        String update = "UPDATE orders SET note = 'fresh' WHERE tenant_id = " + keyIn(MOVED);

        app.run(update); // what a foreign tool does after cleanup: no row, no trigger, no refusal

        String enter = "SELECT shardwright.enter(%d, '%d', NULL); ".formatted(MOVED, keyIn(MOVED));
        Refusal.of(() -> app.run(enter + update)).isStaleRoute(MOVED, "MOVED");
    }

    @Test
    void aNullKeyIsRefused() {
        refused("23502", "INSERT INTO orders (tenant_id, id) VALUES (NULL, 1)");
    }

    @Test
    void aKeyThatLeftItsBucketIsRefusedAndItsNeighboursAreNot() throws SQLException {
        List<Long> keys = keysIn(OWNED, 2);
        keyRow(keys.get(0), OWNED, "MOVED", 3, "ds-hot");

        Refusal.of(() -> app.run("INSERT INTO orders VALUES (%d, 9)".formatted(keys.get(0))))
                .isStaleRoute(OWNED, "MOVED")
                .hints("ds-hot", 3, null);
        Refusal.of(() -> app.run("SELECT shardwright.enter(17, '%d', NULL)".formatted(keys.get(0))))
                .isStaleRoute(OWNED, "MOVED");
        app.run("INSERT INTO orders VALUES (%d, 9)".formatted(keys.get(1)));
    }

    @Test
    void aKeyThatCameAloneIsServedThoughItsBucketIsElsewhere() throws SQLException {
        List<Long> keys = keysIn(MOVED, 2);
        keyRow(keys.get(0), MOVED, "OWNED", 3, "ds-0");

        app.run("INSERT INTO orders VALUES (%d, 9)".formatted(keys.get(0)));

        Refusal.of(() -> app.run("INSERT INTO orders VALUES (%d, 9)".formatted(keys.get(1))))
                .isStaleRoute(MOVED, "MOVED");
    }

    @Test
    void aMoverOfAKeyIsAwaitedByEnterAndByNothingElse() throws SQLException {
        long key = keyIn(OWNED);
        keyRow(key, OWNED, "OWNED", 3, "ds-0");
        try (Other mover = new Other(shop, shop.mover())) {
            mover.run("BEGIN; SELECT pg_advisory_xact_lock(7002, hashtext('%d'))".formatted(key));
            Refusal.of(() -> app.run("INSERT INTO orders VALUES (%d, 9)".formatted(key)))
                    .isStaleRoute(OWNED, "DRAINING");
            app.run("BEGIN");
            Other.Running entering = app.startAndWaitForLock("SELECT shardwright.enter(17, '%d', NULL)".formatted(key));
            mover.run("UPDATE shardwright.fence SET state = 'MOVED', owner = 'ds-hot' WHERE scope = 'k:%d'; COMMIT"
                    .formatted(key));

            Refusal.of(entering::finish).isStaleRoute(OWNED, "MOVED").hints("ds-hot", 3, null);
        }
    }

    /** Else a transaction over all keys of such a bucket would take a lock for each of them. */
    @Test
    void aKeyWithoutARowTakesTheLockOfItsBucketOnly() throws SQLException {
        List<Long> keys = keysIn(OWNED, 3);
        keyRow(keys.get(0), OWNED, "OWNED", 3, "ds-0");
        for (String isolation : List.of("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")) {
            app.run(
                    "BEGIN ISOLATION LEVEL %s; SELECT shardwright.enter(17, '%d', NULL); INSERT INTO orders VALUES (%2$d, 9)"
                            .formatted(isolation, keys.get(1)));
            assertThat(keyLocks()).as(isolation).isZero();
            app.run("INSERT INTO orders VALUES (%d, 9), (%d, 9)".formatted(keys.get(0), keys.get(2)));
            assertThat(keyLocks()).as(isolation).isOne();
            app.run("ROLLBACK");
        }
    }

    private long keyLocks() {
        return shop.count("pg_locks WHERE locktype = 'advisory' AND classid = 7002 AND database ="
                + " (SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    @Test
    void anOldSnapshotDoesNotMissAKeyThatLeftSince() throws SQLException {
        long key = keyIn(OWNED);
        app.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM orders");
        keyRow(key, OWNED, "MOVED", 3, "ds-hot");

        Refusal.of(() -> app.run("INSERT INTO orders VALUES (%d, 9)".formatted(key)))
                .isStaleRoute(OWNED, "DRAINING");
    }

    /** A key override, with the count on its bucket's row (K1). */
    private void keyRow(long key, int bucket, String state, long epoch, String owner) {
        shop.plant("""
                INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner) VALUES ('k:%d', %2$d, '%3$s', %4$d, '%5$s');
                UPDATE shardwright.fence SET overrides = 1 WHERE scope = 'b:%2$d'""".formatted(key, bucket, state, epoch, owner));
    }
}
