package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.steps.StepSite;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopLayout;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Case 28: one byte of a row is flipped on the target, past the fence, while the move is under way and the application writes
 * beside it. The row is one that nobody writes, so only a comparison can find that; unless it goes through the log, for then the
 * stream back brings it. Long, because a copy is made again, and a comparison comes after the minute that is waited for before
 * rows are deleted.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FlippedByteE2E {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String SOURCE = "ds-0";
    private static final String TARGET = "ds-1";

    private Stage stage;
    private Shop shop;
    private StepSite steps;
    private LiveLoad load;

    @BeforeAll
    void givenTwoLiveShards(@TempDir Path directory) {
        stage = Stage.builder().layout(new ShopLayout(16, 2, 4, 10)).spares(0).start();
        shop = new Shop(stage);
        steps = new StepSite(stage, directory);
        steps.start();
        stage.applyTopology(2).orThrow();
        shop.awaitReady();
        load = LiveLoad.start(stage, new LiveLoad.Shape(1, 1, 60));
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
    }

    @Test
    void aByteThatIsFlippedBeforeTheVerificationIsFoundAndTheBucketIsCopiedAgain() {
        // given a move whose rows are on the target and not verified yet
        int bucket = 2;
        steps.arm("before:VERIFY");
        shop.move("unverified", SOURCE, TARGET, bucket);
        steps.awaitOpen("before:VERIFY");

        // when a byte of a row is flipped there
        flip(bucket);
        steps.letGo("before:VERIFY");

        // then nothing is switched, and the status says which bucket differs and what is done about it
        shop.awaitPhase("unverified", LIMIT, "Blocked");
        assertThat(shop.describe("unverified"))
                .contains("1 rows differ between ds-0 and ds-1: public.orders in buckets [2]")
                .contains("the copy is made again")
                .contains("another copy, made by the move itself");
        assertThat(progressing("unverified")).isEqualTo("Diverged");
        assertThat(shop.isTrue("unverified", "Verified")).isFalse();
        assertThat(shop.isTrue("unverified", "WritesSwitched")).isFalse();
        assertThat(shop.owner(bucket)).isEqualTo(SOURCE);

        // and the move does as it says, and ends with the row as it was
        shop.awaitPhase("unverified", LIMIT, "Succeeded");
        assertThat(shop.owner(bucket)).isEqualTo(TARGET);
        assertThat(row(TARGET, bucket)).isEqualTo(right(bucket));
    }

    @Test
    void aByteThatIsFlippedBetweenTheVerificationAndTheSwitchIsFoundBeforeTheRightRowIsDeleted() throws SQLException {
        // given a move that is verified and begins to switch
        int bucket = 4;
        steps.arm("before:LOCK_TARGET");
        shop.move("verified", SOURCE, TARGET, bucket);
        steps.awaitOpen("before:LOCK_TARGET");
        assertThat(shop.isTrue("verified", "Verified")).isTrue();

        // when a byte of a row is flipped on the target
        flip(bucket);
        steps.letGo("before:LOCK_TARGET");

        // then the comparison before the cleanup finds it, and nothing is deleted
        shop.awaitPhase("verified", LIMIT, "Blocked");
        assertThat(shop.describe("verified"))
                .contains("1 rows differ between ds-1 and ds-0: public.orders in buckets [4]")
                .contains("both sides differ after the switch, and nothing is deleted")
                .contains("a person who compares the rows: ds-1 is the owner")
                .contains("When both sides are equal the move goes on by itself");
        assertThat(progressing("verified")).isEqualTo("Diverged");
        assertThat(shop.owner(bucket)).isEqualTo(TARGET);
        assertThat(row(TARGET, bucket)).isEqualTo(wrong(bucket));
        assertThat(row(SOURCE, bucket)).as("the only right one").isEqualTo(right(bucket));
        assertThat(shop.move("verified").getStatus().pointOfNoReturn()).isNull();

        // and when the new owner has been put right the move goes on by itself, and ends
        putRight(bucket);
        shop.awaitPhase("verified", LIMIT, "Succeeded");
        assertThat(row(TARGET, bucket)).isEqualTo(right(bucket));
        assertThat(stage.shard(SOURCE).query("SELECT 1 FROM orders WHERE tenant_id = " + tenant(bucket)))
                .isEmpty();
    }

    @Test
    void aWriteOnTheTargetPastTheFenceIsBroughtByTheStreamBackAndTheBucketIsCopiedAgain() {
        // given a move that is verified, and whose stream back runs
        int bucket = 6;
        steps.arm("before:ANNOUNCE");
        shop.move("written", SOURCE, TARGET, bucket);
        steps.awaitOpen("before:ANNOUNCE");
        assertThat(shop.isTrue("written", "Verified")).isTrue();

        // when somebody writes on the target past the fence
        stage.shard(TARGET).run("SET session_replication_role = replica;" + change(bucket));
        stage.await("the stream back to end by it", LIMIT, this::noStreamBack);
        steps.letGo("before:ANNOUNCE");

        // then nothing is switched, and the status says which bucket it is and what is done about it
        shop.awaitPhase("written", LIMIT, "Blocked");
        assertThat(shop.describe("written"))
                .contains("buckets [6] were written on shard ds-1")
                .contains("nothing is switched, and the copy is made again");
        assertThat(progressing("written")).isEqualTo("Diverged");
        assertThat(shop.owner(bucket)).isEqualTo(SOURCE);

        // and the move does as it says, and ends with the row as it was
        shop.awaitPhase("written", LIMIT, "Succeeded");
        assertThat(shop.owner(bucket)).isEqualTo(TARGET);
        assertThat(row(TARGET, bucket)).isEqualTo(right(bucket));
    }

    private boolean noStreamBack() {
        return stage.shard(TARGET)
                .query("SELECT 1 FROM pg_replication_slots WHERE slot_name LIKE 'shardwright\\_%\\_r' AND active")
                .isEmpty();
    }

    /**
     * The first letter becomes a capital, which is one bit. It is written past fence and triggers, and as a mover writes, with a
     * progress row first: the stream back drops that, as it would never see what broken storage does.
     */
    private void flip(int bucket) {
        stage.shard(TARGET).run("""
                SET session_replication_role = replica;
                INSERT INTO shardwright.move_progress (move_id, direction, token) VALUES (gen_random_uuid(), 'F', 'flipping');
                %s;
                DELETE FROM shardwright.move_progress WHERE token = 'flipping';
                """.formatted(change(bucket)));
        assertThat(row(TARGET, bucket)).isEqualTo(wrong(bucket));
    }

    private String change(int bucket) {
        return "UPDATE orders SET reference = '%s' WHERE tenant_id = %d AND reference = '%s'"
                .formatted(wrong(bucket), tenant(bucket), right(bucket));
    }

    /** What a person does: he takes the right row from the old owner, and writes it as any application writes. */
    private void putRight(int bucket) throws SQLException {
        try (Connection person = shop.application(TARGET, "?ApplicationName=person");
                Statement statement = person.createStatement()) {
            int rows = statement.executeUpdate("UPDATE orders SET reference = '" + row(SOURCE, bucket)
                    + "' WHERE tenant_id = " + tenant(bucket) + " AND reference = '" + wrong(bucket) + "'");
            assertThat(rows).isOne();
        }
    }

    /** The load leaves the rows alone that were there before it. */
    private String row(String shard, int bucket) {
        return stage.shard(shard)
                .query("SELECT reference FROM orders WHERE tenant_id = " + tenant(bucket) + " AND lower(reference) = '"
                        + right(bucket) + "'")
                .get(0)
                .get(0);
    }

    private String right(int bucket) {
        return "seed-" + tenant(bucket) + "-1";
    }

    private String wrong(int bucket) {
        return "S" + right(bucket).substring(1);
    }

    private long tenant(int bucket) {
        return stage.layout().tenantsByBucket().get(bucket).get(0);
    }

    private String progressing(String move) {
        return Conditions.find(shop.move(move).getStatus().conditions(), ConditionType.PROGRESSING)
                .orElseThrow()
                .reason();
    }
}
