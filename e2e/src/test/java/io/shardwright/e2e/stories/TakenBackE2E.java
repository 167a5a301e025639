package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.TwoShardShop;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Case 25, scenario 11: a rollback after the switch, with writes on the target, loses nothing. */
@ExtendWith(TwoShardShop.class)
class TakenBackE2E {
    private static final int BUCKET = 4;

    @Test
    void aMoveIsReversedAfterTheSwitchAndNoWriteOnTheTargetIsLost(TwoShardShop.Open open) {
        Shop shop = open.shop();
        // given a move that is switched and soaks, and writes of a tool on the target
        shop.moveWithSoak("1h", "second-thoughts", "ds-0", "ds-1", BUCKET);
        shop.awaitPhase("second-thoughts", Duration.ofSeconds(90), "Reversible");
        assertThat(shop.owner(BUCKET)).isEqualTo("ds-1");
        assertThat(shop.isTrue("second-thoughts", "Reversible")).isTrue();
        long tenant = open.stage().layout().tenantsByBucket().get(BUCKET).get(0);
        open.stage()
                .shard("ds-1")
                .run("INSERT INTO orders (tenant_id, reference, total_cents) VALUES (" + tenant + ", 'on-target', 1)");

        // when it is reversed
        shop.intent("second-thoughts", "Reverse");
        shop.awaitPhase("second-thoughts", Duration.ofMinutes(4), "Reversed");

        // then the old owner has everything, and nobody else has anything of it
        assertThat(shop.owner(BUCKET)).isEqualTo("ds-0");
        assertThat(open.stage().shard("ds-0").query("SELECT 1 FROM orders WHERE reference = 'on-target'"))
                .hasSize(1);
        assertThat(open.stage().shard("ds-1").query("SELECT 1 FROM orders WHERE tenant_id = " + tenant))
                .isEmpty();
        AuditReport audit = shop.audit(open.load(), LedgerAudit.Copies.MAY_REMAIN);
        assertThat(audit.findings()).isEmpty();
        assertThat(audit.acknowledged()).isPositive();
        assertThat(open.load().counters().applicationErrors().total()).isZero();
    }
}
