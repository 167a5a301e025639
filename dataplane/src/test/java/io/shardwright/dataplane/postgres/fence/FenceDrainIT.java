package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.fence.FenceContractIT.Isolation;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A writer and a mover meet: each order of their steps that matters, step by step. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceDrainIT {
    private static final int BUCKET = 17;
    private static final int NEIGHBOUR = 18;
    private static final long KEY = keyIn(BUCKET);
    private static final String ENTER = "SELECT shardwright.enter(%d, '%d', NULL)".formatted(BUCKET, KEY);

    @Parameter
    Version version;

    private ShopDatabase shop;
    private Other app;
    private Other mover;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) throws SQLException {
        shop = ShopDatabase.fenced(SharedServers.of(version), "drain");
        app = new Other(shop, shop.app());
        mover = new Other(shop, shop.mover());
    }

    @BeforeEach
    void fillTables() {
        shop.setFence(BUCKET, FenceState.OWNED, 7, "ds-0", null);
        shop.plant("TRUNCATE order_items, orders; INSERT INTO orders VALUES (%d, 1, 'old')".formatted(KEY));
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

    private void begin(Isolation isolation) throws SQLException {
        app.run("BEGIN ISOLATION LEVEL " + isolation.name().replace('_', ' '));
    }

    private static String insert(long id) {
        return Write.INSERT.sql(KEY, id);
    }

    private long rows() {
        return shop.count("orders");
    }

    @ParameterizedTest
    @EnumSource
    void theFenceWaitsForATransactionThatHasWritten(Isolation isolation) throws SQLException {
        begin(isolation);
        app.run(insert(1));

        Other.Running fence = mover.startAndWaitForLock(Other.fenceOff(BUCKET));
        app.run("COMMIT");
        fence.finish();

        assertThat(rows()).isEqualTo(2);
        Refusal.of(() -> app.run(insert(2))).isStaleRoute(BUCKET, "MOVED").hints("ds-4", 8, null);
    }

    @ParameterizedTest
    @EnumSource(names = {"REPEATABLE_READ", "SERIALIZABLE"})
    void aSnapshotOlderThanTheFenceIsRefused(Isolation isolation) throws SQLException {
        for (String statement : new String[] {insert(1), ENTER}) {
            shop.setFence(BUCKET, FenceState.OWNED, 7, "ds-0", null);
            begin(isolation);
            app.run("SELECT count(*) FROM orders");
            mover.run(Other.fenceOff(BUCKET));

            Refusal.of(() -> app.run(statement)).isStaleRoute(BUCKET, "DRAINING");
            app.run("ROLLBACK");
        }
        assertThat(rows()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void enterWaitsForTheMoverAndThenSeesWhatItDid(Isolation isolation) throws SQLException {
        mover.run("BEGIN; SELECT pg_advisory_xact_lock(7001, 17)");
        begin(isolation);
        Other.Running entering = app.startAndWaitForLock(ENTER);

        mover.run(
                "UPDATE shardwright.fence SET state = 'MOVED', epoch = 8, owner = 'ds-4' WHERE scope = 'b:17'; COMMIT");

        Refusal.of(entering::finish).isStaleRoute(BUCKET, isolation == Isolation.READ_COMMITTED ? "MOVED" : "DRAINING");
    }

    @Test
    void enterGoesOnWhenTheMoverGaveUp() throws SQLException {
        mover.run("BEGIN; SELECT pg_advisory_xact_lock(7001, 17)");
        app.run("BEGIN");
        Other.Running entering = app.startAndWaitForLock(ENTER);

        mover.run("ROLLBACK");
        entering.finish();
        app.run(insert(1) + "; COMMIT");

        assertThat(rows()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aTriggerNeverWaits(Isolation isolation) throws SQLException {
        mover.run("BEGIN; SELECT pg_advisory_xact_lock(7001, 17)");
        begin(isolation);

        Refusal.of(() -> app.run(insert(1))).isStaleRoute(BUCKET, "DRAINING").hints("ds-0", 7, null);
    }

    @Test
    void onlyTheFirstFenceCallOfATransactionWaits() throws SQLException {
        mover.run("BEGIN; SELECT pg_advisory_xact_lock(7001, 17)");

        app.run("BEGIN; SELECT shardwright.enter(%d, '%d', NULL)".formatted(NEIGHBOUR, keyIn(NEIGHBOUR)));
        Refusal.of(() -> app.run(ENTER)).isStaleRoute(BUCKET, "DRAINING");
        app.run("ROLLBACK");

        app.run("BEGIN; " + Write.INSERT.sql(keyIn(NEIGHBOUR), 1));
        Refusal.of(() -> app.run(ENTER)).isStaleRoute(BUCKET, "DRAINING");
        app.run("ROLLBACK; BEGIN");
        Other.Running entering = app.startAndWaitForLock(ENTER);
        mover.run("ROLLBACK");
        entering.finish();
    }

    @ParameterizedTest
    @EnumSource(Write.class)
    void aTransactionThatIsInsideWritesOnWhileAMoverWaits(Write write) throws SQLException {
        app.connection().setAutoCommit(false);
        app.run(ENTER);
        Other.Running fence = mover.startAndWaitForLock(Other.fenceOff(BUCKET));

        write.execute(app.connection(), KEY, 1);
        app.connection().commit();
        fence.finish();

        assertThat(shop.count("orders WHERE note = 'old'"))
                .isEqualTo(
                        switch (write) {
                            case INSERT, COPY, INSERT_SELECT -> 1;
                            default -> 0;
                        });
        assertThat(shop.count("orders WHERE note = 'fresh'"))
                .isEqualTo(
                        switch (write) {
                            case DELETE, CTE_DELETE -> 0;
                            default -> 1;
                        });
    }

    @Test
    void aLockThatASavepointDroppedIsTakenAgainByTheNextWrite() throws SQLException {
        app.run("BEGIN; SAVEPOINT s; " + insert(1) + "; ROLLBACK TO s");
        mover.run(Other.fenceOff(BUCKET));

        Refusal.of(() -> app.run(insert(1))).isStaleRoute(BUCKET, "MOVED");
    }

    @Test
    void anExceptionBlockThatSwallowsTheRefusalLeavesNoRow() throws SQLException {
        mover.run(Other.fenceOff(BUCKET));

        app.run("DO $$ BEGIN " + insert(1) + "; EXCEPTION WHEN OTHERS THEN NULL; END $$");

        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void unlockingEverythingDoesNotLeaveTheBucket() throws SQLException {
        app.run("BEGIN; " + insert(1) + "; SELECT pg_advisory_unlock_all()");

        Other.Running fence = mover.startAndWaitForLock(Other.fenceOff(BUCKET));
        app.run("COMMIT");
        fence.finish();

        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void aPreparedTransactionKeepsTheLock() throws SQLException {
        app.run("BEGIN; " + insert(1) + "; PREPARE TRANSACTION 'two-phase'");

        Refusal.of(() -> mover.run("SET statement_timeout = '100ms'; " + Other.fenceOff(BUCKET)));
        mover.run("ROLLBACK; SET statement_timeout = 0");
        Other.Running fence = mover.startAndWaitForLock(Other.fenceOff(BUCKET));
        app.run("COMMIT PREPARED 'two-phase'");
        fence.finish();

        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void aNeighbourIsNotDisturbed() throws SQLException {
        mover.run("BEGIN; SELECT pg_advisory_xact_lock(7001, 17)");

        app.run(Write.INSERT.sql(keyIn(NEIGHBOUR), 5));

        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void aStrongReadIsRefusedWhenTheEpochHasGrown() throws SQLException {
        shop.setFence(BUCKET, FenceState.OWNED, 9, "ds-0", null);

        Refusal.of(() -> app.run("SELECT shardwright.enter(17, '%d', 7)".formatted(KEY)))
                .isStaleRoute(BUCKET, "OWNED")
                .hints("ds-0", 9, null);
        app.run("SELECT shardwright.enter(17, '%d', 9)".formatted(KEY));
    }

    @Test
    void aRouterThatComputesAnotherBucketIsToldSo() {
        assertThat(Refusal.of(() -> app.run("SELECT shardwright.enter(18, '%d', NULL)".formatted(KEY)))
                        .sqlState())
                .isEqualTo("22023");
    }

    @Test
    void aRouterThatKnowsOnlyTheBucketMayEnterIt() throws SQLException {
        app.run("BEGIN; SELECT shardwright.enter(17, NULL, NULL)");
        Other.Running fence = mover.startAndWaitForLock(Other.fenceOff(BUCKET));
        app.run("COMMIT");
        fence.finish();

        Refusal.of(() -> app.run("SELECT shardwright.enter(17, NULL, NULL)")).isStaleRoute(BUCKET, "MOVED");
    }
}
