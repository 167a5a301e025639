package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.shardwright.crds.Condition;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.e2e.shop.Shop;
import io.shardwright.servers.SmallDisk;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Case 15, scenario 10: the target's disk becomes full in the copy (a real one, of a few megabytes). The targets own nothing
 * yet, so nobody but the move meets the full disk, and the application must see nothing of it. Long, because that needs a
 * stage of its own: on the shared one every write of the other stories to that shard would fail too.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FullDiskE2E {
    private static final int LITTLE = 4;
    private static final int PLENTY = 256;
    private static final Duration MOVE_LIMIT = Duration.ofMinutes(4);

    /** They are closed after the servers that have files on them. */
    private final List<SmallDisk> disks = new ArrayList<>();

    private Stage stage;
    private Shop shop;
    private LiveLoad load;

    @BeforeAll
    void givenALiveShardAndTwoNewOnesWithLittleRoom() {
        for (int target = 0; target < 2; target++) {
            var disk = SmallDisk.ofMegabytes(LITTLE);
            assumeThat(disk).as("only root can mount a disk").isPresent();
            disks.add(disk.orElseThrow());
        }
        stage = Stage.builder().layout(new ShopLayout(8, 1, 4, 10)).spares(2).start();
        shop = new Shop(stage);
        for (int target = 0; target < 2; target++) {
            var server = stage.shard(targetName(target)).server();
            disks.get(target).holds(server, ShardDatabase.DATABASE, "little", List.of("orders", "order_items"));
        }
        stage.startOperator();
        stage.applyTopology(3).orThrow();
        // not Ready: nobody has made a plan for the new ones
        stage.await(
                "a fence on every shard",
                MOVE_LIMIT,
                () -> shop.condition("FenceInstalled").map(Condition::isTrue).orElse(false));
        load = LiveLoad.start(stage, new LiveLoad.Shape(1, 1, 40));
    }

    private static String targetName(int target) {
        return "ds-" + (target + 1);
    }

    @AfterEach
    void nothingIsLostAndNothingIsLeft() {
        AuditReport audit = shop.audit(load, LedgerAudit.Copies.NONE);
        assertThat(audit.findings()).isEmpty();
        assertThat(audit.acknowledged()).isPositive();
        assertThat(load.counters().applicationErrors().total()).isZero();
        assertThat(stage.truth().leftovers(ShardDatabase.DATABASE, Duration.ofSeconds(10)))
                .isEmpty();
    }

    @AfterAll
    void close() {
        if (load != null) {
            load.stop();
        }
        if (stage != null) {
            stage.close();
        }
        disks.forEach(SmallDisk::close);
    }

    @Test
    void aMoveToAFullDiskSaysSoAndGoesOnWhenThereIsRoom() {
        // given a bucket with more rows than the target's disk can hold
        fill(1);

        // when it shall move
        shop.move("roomy", "ds-0", targetName(0), 1);

        // then the move stands and says why, and the source goes on
        awaitFullDisk("roomy", targetName(0));
        assertThat(shop.owner(1)).isEqualTo("ds-0");

        // and when the disk has grown it goes on by itself, and ends
        disks.get(0).grow(PLENTY);
        shop.awaitPhase("roomy", MOVE_LIMIT, "Succeeded");
        assertThat(shop.owner(1)).isEqualTo(targetName(0));
        assertThat(wideRows(targetName(0), 1)).isEqualTo("8000");
    }

    @Test
    void aMoveToAFullDiskCanBeGivenUpThoughTheDiskIsFull() {
        // given a move that stands because the target's disk is full
        fill(2);
        shop.move("cramped", "ds-0", targetName(1), 2);
        awaitFullDisk("cramped", targetName(1));

        // when it is given up
        shop.intent("cramped", "Abort");

        // then it ends, the source owns the bucket, and the target is as it was
        shop.awaitPhase("cramped", Shop.SOON, "Aborted");
        assertThat(shop.owner(2)).isEqualTo("ds-0");
        assertThat(stage.shard(targetName(1)).query("SELECT 1 FROM orders")).isEmpty();
        assertThat(wideRows("ds-0", 2)).isEqualTo("8000");
    }

    /** Eight megabytes, as a tool writes them. */
    private void fill(int bucket) {
        stage.shard("ds-0")
                .run("INSERT INTO orders (tenant_id, reference) SELECT " + tenant(bucket)
                        + ", 'wide' || repeat('x', 1000) FROM generate_series(1, 8000)");
    }

    private String wideRows(String shard, int bucket) {
        return stage.shard(shard)
                .query("SELECT count(*) FROM orders WHERE reference LIKE 'wide%' AND tenant_id = " + tenant(bucket))
                .get(0)
                .get(0);
    }

    private long tenant(int bucket) {
        return stage.layout().tenantsByBucket().get(bucket).get(0);
    }

    private void awaitFullDisk(String move, String target) {
        stage.await(
                move + " to say that the disk is full",
                MOVE_LIMIT,
                () -> shop.phase(move).equals("Blocked") && shop.describe(move).contains("No space left on device"));
        assertThat(shop.describe(move)).contains("shard " + target, "SQLSTATE 53100", "make room on the disk");
    }
}
