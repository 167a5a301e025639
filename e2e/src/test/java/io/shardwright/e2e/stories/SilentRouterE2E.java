package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.TwoShardShop;
import io.shardwright.routing.Role;
import io.shardwright.stage.kubelet.RouterProcess;
import io.shardwright.stage.ledger.LedgerAudit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Scenario 3: one web process that never acknowledges blocks a switch and is named; when it is gone the move goes on. */
@ExtendWith(TwoShardShop.class)
class SilentRouterE2E {
    private static final String SILENT = "orders-web-quiet";
    private static final int BUCKET = 3;

    @Test
    void aFrozenWebProcessBlocksTheSwitchAndIsNamedUntilItIsGone(TwoShardShop.Open open) {
        Shop shop = open.shop();
        // given a web process that is alive but never answers; it has next to nothing to do, so no transaction of it is
        // open
        RouterProcess silent = open.load().join(SILENT, Role.WEB, 0.2);
        open.stage()
                .await(
                        "the quiet process to acknowledge",
                        Shop.SOON,
                        () -> shop.acknowledgedWebs().equals("3/3"));
        silent.freeze();

        // when a bucket shall move
        shop.move("silent", "ds-0", "ds-1", BUCKET);

        // then the move waits for exactly this process, says so, and has switched nothing
        open.stage().await("the silent process to be named", Duration.ofSeconds(90), () -> named(shop));
        assertThat(shop.kubectl("-n", "shop", "describe", "bucketmove", "silent"))
                .contains(SILENT)
                .containsIgnoringCase("silent")
                .containsIgnoringCase("delete");
        assertThat(shop.owner(BUCKET)).isEqualTo("ds-0");
        assertThat(shop.isTrue("silent", "WritesSwitched")).isFalse();

        // and when it is gone the move goes on
        silent.kill();
        open.stage().kubelet().delete(SILENT, Duration.ofSeconds(1));
        open.stage().await("the bucket to be switched", Shop.SOON, () -> shop.isTrue("silent", "WritesSwitched"));
        assertThat(shop.owner(BUCKET)).isEqualTo("ds-1");
        assertThat(shop.audit(open.load(), LedgerAudit.Copies.MAY_REMAIN).findings())
                .isEmpty();
        assertThat(open.load().counters().applicationErrors().total()).isZero();
    }

    private static boolean named(Shop shop) {
        var move = shop.move("silent");
        return move.getStatus() != null
                && move.getStatus().blockedBy().stream()
                        .anyMatch(blocker -> blocker.toString().contains(SILENT)
                                && blocker.toString().contains("silent"));
    }
}
