package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.StopMode;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** What a crash of the server does to locks: those of sessions go, those of prepared transactions stay. */
class FenceCrashIT {
    private static final long KEY = keyIn(17);

    @Test
    void aPreparedTransactionHoldsItsBucketOverACrashAndASessionDoesNot() throws SQLException {
        try (PostgresServer server = PostgresServer.builder()
                .name("crash")
                .setting("max_prepared_transactions", "4")
                .start()) {
            ShopDatabase before = ShopDatabase.fenced(server, "shop");
            Other session = new Other(before, before.app());
            session.run("BEGIN; " + Write.INSERT.sql(keyIn(42), 1));
            Other app = new Other(before, before.app());
            app.run("BEGIN; " + Write.INSERT.sql(KEY, 1) + "; PREPARE TRANSACTION 'kept'");

            server.stop(StopMode.IMMEDIATE);
            server.start();

            try (Other mover = new Other(before, before.mover());
                    Other owner = new Other(before, before.app())) {
                mover.run(Other.fenceOff(42));
                mover.run("SET statement_timeout = '200ms'");
                assertThat(Refusal.of(() -> mover.run(Other.fenceOff(17))).sqlState())
                        .isEqualTo("57014");

                owner.run("COMMIT PREPARED 'kept'");
                mover.run("ROLLBACK; " + Other.fenceOff(17));
            }
            assertThat(server.query("shop", "SELECT tenant_id FROM orders"))
                    .singleElement()
                    .asString()
                    .contains("" + KEY);
        }
    }
}
