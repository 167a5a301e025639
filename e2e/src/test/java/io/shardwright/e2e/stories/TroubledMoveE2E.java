package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.TwoShardShop;
import io.shardwright.stage.ledger.LedgerAudit;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Case 17, scenario 10: a table changes while a move is under way. The rest of that scenario has a place of its own: the full
 * disk in {@link FullDiskE2E}, the long transaction in {@link OpenTransactionE2E}, and the failover of the source in
 * {@code SourceFailoverIT} of the dataplane, on real standbys, which the databases of a stage do not have.
 */
@ExtendWith(TwoShardShop.class)
class TroubledMoveE2E {
    private static final int BUCKET = 2;
    private static final String MIGRATION = "ALTER TABLE orders ADD COLUMN note text";

    @Test
    void aTableThatChangesBlocksTheMoveUntilBothShardsHaveTheChange(TwoShardShop.Open open) throws SQLException {
        // given a copy that is in sync, and somebody inside of the bucket who keeps the move from its switch
        Shop shop = open.shop();
        long errors = open.load().counters().applicationErrors().total();
        long tenant = open.stage().layout().tenantsByBucket().get(BUCKET).get(0);
        try (Connection inside = shop.application("ds-0", "");
                Statement statement = inside.createStatement()) {
            inside.setAutoCommit(false);
            statement.execute("SELECT shardwright.enter(%d, '%d', NULL)".formatted(BUCKET, tenant));
            shop.move("migrated", "ds-0", "ds-1", BUCKET);
            open.stage().await("the copy to be in sync", Shop.SOON, () -> shop.isTrue("migrated", "InSync"));

            // when a migration reaches the source, and not yet the target
            open.stage().shard("ds-0").run(MIGRATION);

            // then the move stands, and says why and what to do
            open.stage().await("SchemaChanged to be told", Shop.SOON, () -> says(shop, "SchemaChanged"));
            inside.rollback();
        }
        shop.awaitPhase("migrated", Shop.SOON, "Blocked");
        assertThat(shop.describe("migrated")).contains("SchemaChanged", "make the tables equal on both shards");
        assertThat(shop.owner(BUCKET)).isEqualTo("ds-0");
        assertThat(shop.isTrue("migrated", "WritesSwitched")).isFalse();

        // and when that is done it goes on by itself, with the new column
        open.stage().shard("ds-0").run("UPDATE orders SET note = 'migrated' WHERE tenant_id = " + tenant);
        open.stage().shard("ds-1").run(MIGRATION);
        open.stage()
                .await(
                        "the bucket to be switched",
                        Duration.ofMinutes(3),
                        () -> shop.isTrue("migrated", "WritesSwitched"));
        assertThat(shop.owner(BUCKET)).isEqualTo("ds-1");
        assertThat(open.stage()
                        .shard("ds-1")
                        .query("SELECT 1 FROM orders WHERE note = 'migrated' AND tenant_id = " + tenant))
                .isNotEmpty();
        assertThat(shop.audit(open.load(), LedgerAudit.Copies.MAY_REMAIN).findings())
                .isEmpty();
        assertThat(open.load().counters().applicationErrors().total()).isEqualTo(errors);
    }

    private static boolean says(Shop shop, String reason) {
        var status = shop.move("migrated").getStatus();
        return status != null
                && status.conditions().stream()
                        .anyMatch(condition -> condition.reason().equals(reason));
    }
}
