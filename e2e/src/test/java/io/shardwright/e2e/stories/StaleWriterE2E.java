package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.TwoShardShop;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

/** Case 8, scenario 4, seen from the database: whoever still writes to the old owner is refused, and told where to go. */
@ExtendWith(TwoShardShop.class)
class StaleWriterE2E {
    private static final int BUCKET = 5;

    @Test
    void everyWayToWriteToTheOldOwnerIsRefusedWithTheNewOwnerInDetail(TwoShardShop.Open open) throws SQLException {
        // given a tenant of a bucket with rows on its first shard
        Shop shop = open.shop();
        long tenant = open.stage().layout().tenantsByBucket().get(BUCKET).get(0);
        String order = "tenant_id = " + tenant + " AND reference = 'seed-" + tenant + "-1'";

        // when the bucket has moved and its old rows are not cleaned up yet
        shop.move("stale", "ds-0", "ds-1", BUCKET);
        open.stage().await("the bucket to be switched", Shop.SOON, () -> shop.isTrue("stale", "WritesSwitched"));

        // then any tool that writes to the old owner is refused
        try (Connection old = shop.application("ds-0", "");
                Statement statement = old.createStatement()) {
            assertThat(rows(statement, "SELECT count(*) FROM orders WHERE " + order))
                    .isEqualTo(1);
            refused(() ->
                    statement.execute("INSERT INTO orders (tenant_id, reference) VALUES (" + tenant + ", 'stale')"));
            refused(() -> statement.execute("UPDATE orders SET total_cents = 1 WHERE " + order));
            refused(() -> statement.execute("DELETE FROM order_items WHERE tenant_id = " + tenant));
            refused(() -> statement.execute("SELECT shardwright.enter(" + BUCKET + ", '" + tenant + "', NULL)"));
            refused(() -> old.unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY orders (tenant_id, reference) FROM STDIN", new StringReader(tenant + "\tstale\n")));
        }
        // and TRUNCATE is refused even to the owner of the table
        try (Connection admin = open.stage().shard("ds-0").server().connect("shop");
                Statement statement = admin.createStatement()) {
            SQLException truncate =
                    catchThrowableOfType(SQLException.class, () -> statement.execute("TRUNCATE orders CASCADE"));
            assertThat(truncate.getSQLState()).isEqualTo("0A000");
        }
        // and nothing of it is there
        assertThat(open.stage().shard("ds-0").query("SELECT 1 FROM orders WHERE reference = 'stale'"))
                .isEmpty();
    }

    private static long rows(Statement statement, String sql) throws SQLException {
        try (var result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }

    @FunctionalInterface
    private interface Write {
        void run() throws Exception;
    }

    private static void refused(Write write) {
        PSQLException refusal = catchThrowableOfType(PSQLException.class, write::run);
        assertThat(refusal.getServerErrorMessage()).isNotNull();
        assertThat(refusal.getSQLState()).isEqualTo("SH409");
        assertThat(refusal.getServerErrorMessage().getDetail())
                .contains("\"MOVED\"")
                .contains("\"ds-1\"");
    }
}
