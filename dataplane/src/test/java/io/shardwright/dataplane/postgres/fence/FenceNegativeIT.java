package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rejected alternatives of the fence still fail for real: for each one a plain table {@code plain} is guarded by the
 * alternative and a write gets past it (or harm is done), where the fence on {@code orders} holds. When one of these tests
 * fails, PostgreSQL has changed, and the reason for a part of the fence may be gone.
 */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceNegativeIT {
    private static final int BUCKET = 17;
    private static final long KEY = keyIn(BUCKET);
    private static final String INSERT = Write.INSERT.sql(KEY, 1);
    private static final String MOVED = "UPDATE shardwright.fence SET state = 'MOVED', epoch = 8 WHERE scope = 'b:17'";
    private static final String LOCKED = "SELECT pg_advisory_xact_lock(7001, 17)";
    private static final String OWNED_ROW = "SELECT state FROM shardwright.fence WHERE scope = 'b:17'";

    private static final String PLAIN = """
            CREATE TABLE plain (tenant_id bigint, id bigint, note text, PRIMARY KEY (tenant_id, id));
            GRANT ALL ON plain TO shop_app; GRANT SELECT, UPDATE ON shardwright.fence TO shop_app;
            CREATE FUNCTION refuse_unless(owned boolean) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
              IF NOT owned THEN RAISE EXCEPTION 'stale' USING ERRCODE = 'SH409'; END IF; END $$;
            -- lock first, check second, but with a plain read (rrstale)
            CREATE FUNCTION enter_by_plain_read() RETURNS void LANGUAGE plpgsql VOLATILE AS $$ BEGIN
              PERFORM pg_advisory_xact_lock_shared(7001, 17);
              PERFORM refuse_unless((SELECT state FROM shardwright.fence WHERE scope = 'b:17') = 'OWNED'); END $$;
            -- the same, declared STABLE
            CREATE FUNCTION enter_stable() RETURNS void LANGUAGE plpgsql STABLE AS $$ BEGIN
              PERFORM pg_advisory_xact_lock_shared(7001, 17);
              PERFORM refuse_unless((SELECT state FROM shardwright.fence WHERE scope = 'b:17') = 'OWNED'); END $$;
            """;

    @Parameter
    Version version;

    private ShopDatabase shop;
    private Other app;
    private Other mover;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) throws SQLException {
        shop = ShopDatabase.fenced(SharedServers.of(version), "negative");
        shop.plant(PLAIN);
        app = new Other(shop, shop.app());
        mover = new Other(shop, shop.superuser());
    }

    @BeforeEach
    void fillTables() {
        shop.setFence(BUCKET, FenceState.OWNED, 7, "ds-0", null);
        shop.plant(
                "TRUNCATE order_items, orders, plain; INSERT INTO plain VALUES (%1$d, 0, 'old'); INSERT INTO orders VALUES (%1$d, 0, 'old')"
                        .formatted(KEY));
    }

    @AfterEach
    void resetSessions() throws SQLException {
        app.reset();
        mover.reset();
    }

    @AfterParameterizedClassInvocation
    void closeSessions() throws SQLException {
        app.close();
        mover.close();
    }

    private static String plain(String sql) {
        return sql.replace("orders", "plain");
    }

    /** Rows of the table after the fence was committed and everybody is done. */
    private long rows(String table) {
        return shop.count(table);
    }

    @Test
    void aCheckWithoutALockLetsAnOpenTransactionCommitAfterTheFence() throws SQLException {
        app.run("BEGIN; SELECT refuse_unless((" + OWNED_ROW + ") = 'OWNED'); " + plain(INSERT));
        mover.run("BEGIN; " + LOCKED + "; " + MOVED + "; COMMIT"); // nobody holds the lock: done at once
        app.run("COMMIT");
        assertThat(rows("plain")).as("a write that nobody copied").isEqualTo(2);

        shop.setFence(BUCKET, FenceState.OWNED, 7, "ds-0", null);
        app.run("BEGIN; " + INSERT);
        Other.Running fence = mover.startAndWaitForLock("BEGIN; " + LOCKED + "; " + MOVED + "; COMMIT");
        app.run("COMMIT");
        fence.finish();
    }

    @Test
    void revokeDoesNotStopAnOpenTransaction() throws SQLException {
        app.run("BEGIN; " + plain(INSERT));
        mover.run("REVOKE ALL ON plain FROM shop_app");
        app.run("COMMIT");
        mover.run("GRANT ALL ON plain TO shop_app");

        assertThat(rows("plain")).isEqualTo(2);
    }

    @Test
    void rowSecurityHidesRowsInsteadOfRefusing() throws SQLException {
        mover.run("ALTER TABLE plain ENABLE ROW LEVEL SECURITY; CREATE POLICY owned ON plain USING (tenant_id <> %d)"
                .formatted(KEY));
        app.run(plain("UPDATE orders SET note = 'fresh'")); // "0 rows" looks like success
        mover.run("DROP POLICY owned ON plain; ALTER TABLE plain DISABLE ROW LEVEL SECURITY");

        mover.run(MOVED);
        Refusal.of(() -> app.run("UPDATE orders SET note = 'fresh'")).isStaleRoute(BUCKET, "MOVED");
    }

    @Test
    void aPlainReadInRepeatableReadPassesTheFence() throws SQLException {
        mover.run("BEGIN; " + LOCKED + "; " + MOVED);
        app.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
        Other.Running entering = app.startAndWaitForLock("SELECT enter_by_plain_read()");
        mover.run("COMMIT");
        entering.finish();
        app.run(plain(INSERT) + "; COMMIT");

        assertThat(rows("plain")).isEqualTo(2);
        // the real one, in the same interleaving: FenceDrainIT.enterWaitsForTheMoverAndThenSeesWhatItDid
    }

    @Test
    void aStableFunctionKeepsTheSnapshotFromBeforeTheWait() throws SQLException {
        mover.run("BEGIN; " + LOCKED + "; " + MOVED);
        app.run("BEGIN");
        Other.Running entering = app.startAndWaitForLock("SELECT enter_stable()");
        mover.run("COMMIT");
        entering.finish();
        app.run(plain(INSERT) + "; COMMIT");

        assertThat(rows("plain")).isEqualTo(2);
    }

    @Test
    void lockAndReadInOneStatementKeepTheSnapshotFromBeforeTheWait() throws SQLException {
        mover.run("BEGIN; " + LOCKED + "; " + MOVED);
        app.run("BEGIN");
        Other.Running entering = app.startAndWaitForLock("""
                WITH l AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(7001, 17))
                SELECT refuse_unless((SELECT state FROM shardwright.fence WHERE scope = 'b:17') = 'OWNED') FROM l""");
        mover.run("COMMIT");
        entering.finish();
        app.run(plain(INSERT) + "; COMMIT");

        assertThat(rows("plain")).isEqualTo(2);
    }

    @Test
    void rowLocksDoNotQueueBehindAWaitingMover() throws SQLException {
        app.run("BEGIN; " + OWNED_ROW + " FOR SHARE");
        Other.Running fence = mover.startAndWaitForLock(MOVED);
        try (Other overtaker = new Other(shop, shop.app())) {
            overtaker.run("BEGIN; " + OWNED_ROW + " FOR SHARE NOWAIT"); // gets in, and the mover waits on
            overtaker.run("COMMIT");
        }
        app.run("COMMIT");
        fence.finish();

        shop.setFence(BUCKET, FenceState.OWNED, 7, "ds-0", null);
        app.run("BEGIN; " + INSERT);
        Other.Running drain = mover.startAndWaitForLock("BEGIN; " + LOCKED);
        try (Other latecomer = new Other(shop, shop.app())) {
            Refusal.of(() -> latecomer.run(Write.INSERT.sql(KEY, 2))).isStaleRoute(BUCKET, "DRAINING");
        }
        app.run("COMMIT");
        drain.finish();
    }

    @Test
    void aKeyShareLockDoesNotHoldTheFenceBack() throws SQLException {
        app.run("BEGIN; " + OWNED_ROW + " FOR KEY SHARE; " + plain(INSERT));
        mover.run(MOVED);
        app.run("COMMIT");

        assertThat(rows("plain")).isEqualTo(2);
    }

    @Test
    void aTableLockStopsEveryBucket() throws SQLException {
        mover.run("BEGIN; LOCK TABLE plain IN EXCLUSIVE MODE");

        assertThat(Refusal.of(() -> app.run("SET lock_timeout = '50ms'; " + plain(Write.INSERT.sql(keyIn(99), 1))))
                        .sqlState())
                .isEqualTo("55P03");

        mover.run("ROLLBACK; BEGIN; " + LOCKED);
        app.run(Write.INSERT.sql(keyIn(99), 1));
    }

    @Test
    void aPublicationFilteredByAColumnOutsideTheIdentityBreaksUpdates() throws SQLException {
        mover.run("CREATE PUBLICATION filtered FOR TABLE plain WHERE (note = 'old')");
        assertThat(Refusal.of(() -> app.run(plain("UPDATE orders SET note = 'fresh'")))
                        .message())
                .contains("cannot update table");
        mover.run("DROP PUBLICATION filtered");

        app.run("UPDATE orders SET note = 'fresh'"); // published whole, filtered in the mover
    }

    @Test
    void endingAllSessionsHurtsThoseWhoWriteElsewhere() throws SQLException {
        try (Other neighbour = new Other(shop, shop.app())) {
            neighbour.run("SET application_name = 'neighbour'; BEGIN; " + Write.INSERT.sql(keyIn(99), 1));
            mover.run(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'neighbour'");

            assertThat(Refusal.of(() -> neighbour.run("COMMIT")).sqlState()).isEqualTo("57P01");
        }
    }

    @Test
    void awaitingAllTransactionsWaitsForReadersOfOtherBuckets() throws SQLException {
        app.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM orders WHERE tenant_id = " + keyIn(99));
        assertThat(
                        shop.count(
                                "pg_stat_activity WHERE datname = 'negative' AND usename = 'shop_app' AND xact_start IS NOT NULL"))
                .isEqualTo(1);

        mover.run(Other.fenceOff(BUCKET)); // the fence does not
    }
}
