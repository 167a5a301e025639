package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.TwoShardShop;
import io.shardwright.routing.Role;
import io.shardwright.stage.kubelet.RouterProcess;
import io.shardwright.stage.kubelet.RouterSpec;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.ledger.LedgerLine;
import io.shardwright.stage.ledger.LedgerReader;
import io.shardwright.stage.ledger.Outcome;
import io.shardwright.stage.ledger.StoredRow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract is small: a router in Go, written from the contract alone, takes part in a move. */
@ExtendWith(TwoShardShop.class)
class OtherLanguageE2E {
    private static final int BUCKET = 7;

    @TempDir
    private Path directory;

    @Test
    void aRouterInGoFollowsItsBucketToTheNewOwnerAndLosesNothing(TwoShardShop.Open open) throws Exception {
        Shop shop = open.shop();
        // given a web process in Go that writes to one bucket
        RouterProcess router = open.stage()
                .start(RouterSpec.program(
                        "orders-web-go",
                        Role.WEB,
                        List.of(
                                build(open).toString(),
                                "--router",
                                "9",
                                "--rate",
                                "20",
                                "--buckets",
                                Integer.toString(TwoShardShop.BUCKETS),
                                "--tenants-per-bucket",
                                "4",
                                "--only-buckets",
                                Integer.toString(BUCKET))));
        open.stage().await("the router in Go to write", Shop.SOON, () -> acknowledged(router) > 0);

        // when its bucket moves
        shop.move("polyglot", "ds-0", "ds-1", BUCKET);
        open.stage()
                .await(
                        "the bucket to be switched",
                        Duration.ofSeconds(90),
                        () -> shop.isTrue("polyglot", "WritesSwitched"));
        long before = acknowledged(router);
        open.stage().await("writes on the new owner", Shop.SOON, () -> acknowledged(router) > before + 20);
        router.process().terminate(Duration.ofSeconds(20));

        // then every write that it was told of is on the new owner
        assertThat(shop.owner(BUCKET)).isEqualTo("ds-1");
        List<LedgerLine> ledger = LedgerReader.read(List.of(router.directory().resolve("ledger.tsv")));
        AuditReport audit = new LedgerAudit(tenant -> "ds-1", LedgerAudit.Copies.MAY_REMAIN)
                .audit(ledger, StoredRow.read(open.stage().databases().all()));
        assertThat(audit.findings()).isEmpty();
        assertThat(audit.refused()).isZero();
        open.stage().kubelet().delete("orders-web-go", Duration.ofSeconds(1));
    }

    private static long acknowledged(RouterProcess router) {
        if (!router.isRunning()) {
            throw new IllegalStateException(router.process().evidence());
        }
        Path ledger = router.directory().resolve("ledger.tsv");
        return ledger.toFile().exists()
                ? LedgerReader.read(List.of(ledger)).stream()
                        .filter(line -> line.outcome() == Outcome.ACKNOWLEDGED)
                        .count()
                : 0;
    }

    private Path build(TwoShardShop.Open open) throws IOException, InterruptedException {
        Path binary = directory.resolve("router-go");
        ProcessBuilder build = new ProcessBuilder("go", "build", "-trimpath", "-o", binary.toString(), ".")
                .directory(
                        open.stage().checkout().root().resolve("e2e/router-go").toFile())
                .inheritIO();
        build.environment().put("CGO_ENABLED", "0"); // so Go's library is compiled already: for the control plane
        Process go = build.start();
        assertThat(go.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(go.exitValue()).isZero();
        return binary;
    }
}
