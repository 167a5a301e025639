package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The logins made by the shipped script can do what they need, and not more. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeastPrivilegeIT {
    @Parameter
    Version version;

    private ShopDatabase shop;
    private Other app;
    private Other mover;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) throws SQLException {
        // installing and adopting is done by the operator's login
        shop = ShopDatabase.fenced(SharedServers.of(version), "privileges");
        app = new Other(shop, shop.app());
        mover = new Other(shop, shop.mover());
    }

    @AfterParameterizedClassInvocation
    void closeSessions() throws SQLException {
        app.close();
        mover.close();
    }

    @Test
    void theShippedScriptMayRunAgain() {
        shop.server().runScript(shop.name(), ShopDatabase.dbaScript());

        assertThat(
                        shop.value(
                                "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'shardwright\\_%' AND (rolsuper OR rolcreaterole OR rolcreatedb)"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE shardwright.fence SET state = 'OWNED'",
                "INSERT INTO shardwright.fence VALUES ('b:200', 200, 'OWNED', 1)",
                "DELETE FROM shardwright.fence",
                "SELECT * FROM shardwright.claim",
                "SELECT * FROM shardwright.move_progress",
                "SELECT shardwright.fence_check(17, NULL, NULL, false)",
                "SELECT shardwright.first_fence_call()",
                "SELECT shardwright.first_write_passes(17)",
                "INSERT INTO shardwright.first_write (bucket) VALUES (17)",
                "UPDATE shardwright.installation SET armed = false",
                "SET session_replication_role = replica",
                "ALTER TABLE orders DISABLE TRIGGER zz_shardwright_fence",
                "DROP TRIGGER zz_shardwright_fence ON orders",
                "TRUNCATE order_items",
                "DROP SCHEMA shardwright CASCADE",
                "CREATE FUNCTION shardwright.bucket_of(bigint) RETURNS int LANGUAGE sql RETURN 1",
                "ALTER PUBLICATION shardwright DROP TABLE orders",
                "SET ROLE shardwright_owner"
            })
    void anApplicationCannotTouchTheFence(String sql) {
        assertThat(Refusal.of(() -> app.run(sql)).sqlState()).isEqualTo("42501");
    }

    @Test
    void anApplicationMayEnterAndPollTheFence() throws SQLException {
        app.run("SELECT shardwright.enter(17, '%d', NULL)".formatted(keyIn(17)));
        app.run("SELECT scope, state, epoch, owner FROM shardwright.fence");
    }

    @Test
    void anApplicationCannotPutItsOwnFunctionsBeforeOurs() throws SQLException {
        try (Other intruder = new Other(shop, shop.app())) {
            intruder.run("""
                    CREATE TEMPORARY TABLE fence AS SELECT 'b:17'::text AS scope, 'OWNED' AS state;
                    CREATE FUNCTION pg_temp.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT false';
                    SET search_path = pg_temp, public, pg_catalog""");
            shop.plant("UPDATE shardwright.fence SET state = 'ABORTED' WHERE scope = 'b:17'");
            Refusal.of(() -> intruder.run("INSERT INTO public.orders VALUES (%d, 1)".formatted(keyIn(17))))
                    .isStaleRoute(17, "ABORTED");
            shop.plant("UPDATE shardwright.fence SET state = 'OWNED' WHERE scope = 'b:17'");
        }
    }

    @Test
    void aMoverCanDoEachOfItsSteps() throws SQLException {
        try {
            mover.run("""
                    SET session_replication_role = replica;
                    BEGIN; SELECT pg_advisory_xact_lock(7001, 17);
                    LOCK TABLE orders, order_items IN ACCESS SHARE MODE;
                    SELECT shardwright.schema_identity(), shardwright.bucket_of('1');
                    UPDATE shardwright.fence SET state = 'MOVED', epoch = 2 WHERE scope = 'b:17' AND state = 'OWNED';
                    INSERT INTO shardwright.fence VALUES ('b:500', 500, 'IMPORTING', 1);
                    INSERT INTO shardwright.claim VALUES (gen_random_uuid(), 't');
                    INSERT INTO shardwright.cleanup_record VALUES (gen_random_uuid(), 'slot', 'x', 't');
                    INSERT INTO shardwright.heartbeat VALUES (gen_random_uuid(), 1);
                    INSERT INTO shardwright.move_progress VALUES (gen_random_uuid(), 'F', 't');
                    DELETE FROM shardwright.claim;
                    INSERT INTO orders (tenant_id, id) OVERRIDING SYSTEM VALUE VALUES (1, 1);
                    INSERT INTO order_items VALUES (1, 999, 1); UPDATE orders SET note = ''; DELETE FROM orders;
                    SELECT setval('orders_id_seq', 100), last_value FROM orders_id_seq;
                    SELECT pg_replication_origin_create('shardwright_try');
                    SELECT pg_replication_origin_session_setup('shardwright_try');
                    SELECT pg_replication_origin_session_reset();
                    SELECT pg_replication_origin_drop('shardwright_try');
                    SELECT xact_start, state FROM pg_stat_activity; SELECT flush_lsn FROM pg_stat_replication;
                    ROLLBACK""");
            mover.run("""
                    SELECT pg_create_logical_replication_slot('shardwright_try', 'pgoutput');
                    SELECT pg_drop_replication_slot('shardwright_try')""");
        } finally {
            mover.reset();
        }
    }

    @Test
    void aMoverStreamsThePublication() throws Exception {
        try (Connection stream = new PostgresSessions()
                        .replication(shop.access(), shop.access().instances().getFirst(), Session.unhurried("stream"));
                Statement statement = stream.createStatement()) {
            statement.execute(
                    "CREATE_REPLICATION_SLOT shardwright_stream TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM shardwright.fence",
                "UPDATE shardwright.installation SET armed = false",
                "TRUNCATE order_items",
                "DROP TABLE order_items",
                "ALTER TABLE orders DISABLE TRIGGER ALL",
                "DROP PUBLICATION shardwright",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres' AND datname = 'privileges'",
                "CREATE TABLE shardwright.mine ()",
                "SET ROLE shop_owner"
            })
    void aMoverCannotChangeTheSchemaOrForgetATombstone(String sql) {
        assertThat(Refusal.of(() -> mover.run(sql)).sqlState()).isIn("42501", "0A000");
    }

    @Test
    void theOperatorEndsTheSessionOfAMover() throws SQLException {
        try (Other hanging = new Other(shop, shop.mover());
                Other operator = new Other(shop, shop.operator())) {
            hanging.run("SET application_name = 'shardwright/0123/4567'");
            operator.run(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'shardwright/0123/4567'");

            assertThat(Refusal.of(() -> hanging.run("SELECT 1")).sqlState()).isEqualTo("57P01");
        }
    }
}
