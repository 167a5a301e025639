package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * F3: UPDATE and DELETE triggers run after their row is locked, so a trigger that waited for the mover, while the mover
 * applies that row, would close a cycle.
 */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RowLockCycleIT {
    private static final long KEY = keyIn(17);
    private static final String APPLIED =
            "SET session_replication_role = replica; UPDATE orders SET note = 'applied' WHERE tenant_id = " + KEY;

    @Parameter
    Version version;

    private ShopDatabase shop;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) {
        shop = ShopDatabase.fenced(SharedServers.of(version), "cycle");
        shop.setFence(17, FenceState.IMPORTING, 7, null, UUID.randomUUID());
        shop.plant("INSERT INTO orders VALUES (%d, 1, 'old')".formatted(KEY));
    }

    @Test
    void anEarlyWriterLeavesItsRowToTheMover() throws SQLException {
        try (Other mover = new Other(shop, shop.mover());
                Other app = new Other(shop, shop.app())) {
            mover.run("SELECT pg_advisory_lock(7001, 17)");

            Refusal.of(() -> app.run(Write.UPDATE.sql(KEY, 1))).isStaleRoute(17, "DRAINING");
            mover.run(APPLIED);

            assertThat(shop.value("SELECT note FROM orders")).isEqualTo("applied");
        }
    }

    @Test
    void aTriggerThatWaitedWouldDeadlockWithTheMover() throws SQLException {
        shop.plant("""
                CREATE OR REPLACE FUNCTION public.waiting_fence() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                  PERFORM shardwright.fence_check(17, NULL, NULL, true); RETURN NEW; END $$;
                CREATE TABLE waiting (LIKE orders INCLUDING ALL); INSERT INTO waiting SELECT * FROM orders;
                GRANT ALL ON waiting TO shop_app, shardwright_mover;
                CREATE TRIGGER zz BEFORE UPDATE ON waiting FOR EACH ROW EXECUTE FUNCTION public.waiting_fence()""");
        try (Other mover = new Other(shop, shop.mover());
                Other app = new Other(shop, shop.app())) {
            mover.run("SELECT pg_advisory_lock(7001, 17)");
            Other.Running writer =
                    app.startAndWaitForLock(Write.UPDATE.sql(KEY, 1).replace("orders", "waiting"));

            Other.Running applier = mover.start(APPLIED.replace("orders", "waiting"));

            assertThat(Refusal.of(() -> {
                                applier.finish();
                                writer.finish();
                            })
                            .sqlState())
                    .isEqualTo("40P01");
        }
    }
}
