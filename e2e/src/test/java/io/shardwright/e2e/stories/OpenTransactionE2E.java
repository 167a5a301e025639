package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.TwoShardShop;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Case 4, scenario 10: a transaction that is open across the switch commits on the right side or fails; it is never
 * acknowledged and lost.
 */
@ExtendWith(TwoShardShop.class)
class OpenTransactionE2E {
    private static final int BUCKET = 6;

    @Test
    void aTransactionThatHasWrittenHoldsTheSwitchAndIsNeverLost(TwoShardShop.Open open) throws SQLException {
        Shop shop = open.shop();
        long tenant = open.stage().layout().tenantsByBucket().get(BUCKET).get(0);
        try (Connection writer = shop.application("ds-0", "?ApplicationName=open-writer");
                Connection reader = shop.application("ds-0", "?ApplicationName=open-writer");
                Statement write = writer.createStatement();
                Statement read = reader.createStatement()) {
            // given one transaction that has only read
            reader.setAutoCommit(false);
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            read.execute("SELECT count(*) FROM orders WHERE tenant_id = " + tenant);
            shop.move("open", "ds-0", "ds-1", BUCKET);
            open.stage().await("the copy to be in sync", Shop.SOON, () -> shop.isTrue("open", "InSync"));
            // and one that has written (begun now, because a slot waits for open writers)
            writer.setAutoCommit(false);
            write.execute("INSERT INTO orders (tenant_id, reference, total_cents) VALUES (" + tenant + ", 'open', 1)");

            // then the move cannot switch, names the session, and the writer may commit whenever it likes
            open.stage().await("the session to be named", Shop.SOON, () -> named(shop));
            assertThat(shop.owner(BUCKET)).isEqualTo("ds-0");
            writer.commit();
            open.stage()
                    .await(
                            "the bucket to be switched",
                            Duration.ofSeconds(90),
                            () -> shop.isTrue("open", "WritesSwitched"));

            // and its row is on the new owner
            assertThat(open.stage().shard("ds-1").query("SELECT 1 FROM orders WHERE reference = 'open'"))
                    .hasSize(1);
            // while the one that had only read is refused as soon as it writes
            SQLException refusal = catchThrowableOfType(
                    SQLException.class,
                    () -> read.execute(
                            "INSERT INTO orders (tenant_id, reference) VALUES (" + tenant + ", 'too late')"));
            assertThat(refusal.getSQLState()).isEqualTo("SH409");
        }
    }

    /** By the gate before a switch is tried, or by the drain that gave up. */
    private static boolean named(Shop shop) {
        var status = shop.move("open").getStatus();
        return status != null && (status.blockedBy().toString() + status.conditions()).contains("open-writer");
    }
}
