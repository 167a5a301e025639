package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.SCHEMA;
import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.MisplacedRowsException;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.dataplane.postgres.PostgresShards;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A live placement is adopted: no write is refused before the fence is armed, and none is missed. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdoptionIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static int databases;

    @Parameter
    Version version;

    private final PostgresShards shards = new PostgresShards(new PostgresSessions());
    private ShopDatabase shop;
    private Other app;

    /** Bucket 17 has a row, all others are empty. */
    @BeforeEach
    void aLiveShop() throws SQLException {
        shop = ShopDatabase.create(SharedServers.of(version), "adoption_" + databases++);
        app = new Other(shop, shop.app());
        app.run(insert(17));
    }

    @AfterEach
    void closeSession() throws SQLException {
        app.close();
    }

    private static String insert(int bucket) {
        return "INSERT INTO orders (tenant_id) VALUES (%d)".formatted(keyIn(bucket));
    }

    private ShardSight look() {
        return shards.look(shop.access(), SCHEMA);
    }

    private void prepare(Integer... buckets) throws ShardException {
        shards.prepare(shop.access(), SCHEMA, new TreeSet<>(List.of(buckets)));
    }

    private void prepareAndInstall() throws ShardException {
        prepare(17);
        shards.installFence(shop.access(), SCHEMA);
    }

    private void arm() throws ShardException {
        shards.arm(shop.access(), SCHEMA);
    }

    private static FenceRow owned(int bucket) {
        return new FenceRow(bucket, FenceState.OWNED, 1, "ds-0", null);
    }

    private interface Step {
        void run() throws ShardException;
    }

    private static CompletableFuture<Void> start(Step step) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        step.run();
                    } catch (ShardException e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    private void eventually(String what, String query) {
        Eventually.until(what, LIMIT, () -> shop.value(query).equals("t"), () -> look().toString());
    }

    @Test
    void aWriterThatNeverStopsIsNeverRefusedWhileALongTransactionHoldsTheSecondTable() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(
                () -> {
                    try (Other session = new Other(shop, shop.app())) {
                        while (!enough.get()) {
                            session.run(insert(new int[] {17, 42, 50}[written.get() % 3]));
                            written.incrementAndGet();
                        }
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread);
        try (Other batch = new Other(shop, shop.app())) {
            batch.run("BEGIN; INSERT INTO order_items VALUES (%d, 1)".formatted(keyIn(17)));
            prepare(17);
            CompletableFuture<Void> installing = start(() -> shards.installFence(shop.access(), SCHEMA));
            eventually(
                    "the trigger of the first table",
                    "SELECT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'zz_shardwright_fence' AND tgrelid = 'orders'::regclass)");
            int before = written.get();
            Eventually.until(
                    "writes behind the trigger",
                    LIMIT,
                    () -> writer.isDone() || written.get() > before + 50,
                    () -> written + " writes");
            assertThat(installing).isNotDone();
            batch.run("COMMIT");
            installing.get();
        }
        assertThat(shards.scan(shop.access(), SCHEMA).guarded()).isTrue();
        arm();
        int armed = written.get();
        Eventually.until(
                "writes after the arming",
                LIMIT,
                () -> writer.isDone() || written.get() > armed + 50,
                () -> written + " writes");
        enough.set(true);

        writer.get();
        assertThat(look().fence()).containsOnlyKeys(17, 42, 50);
    }

    @Test
    void preparingLocksNoTableAndOwnsWhatLiesHere() throws Exception {
        app.run("BEGIN; " + insert(17));

        prepare(17);

        app.run("COMMIT");
        assertThat(look().armed()).isFalse();
        assertThat(look().fence()).containsOnly(java.util.Map.entry(17, owned(17)));
        assertThat(shards.scan(shop.access(), SCHEMA).guarded()).isFalse();
    }

    @Test
    void aBucketThatIsWrittenFirstBeforeTheArmingIsOwnedByIt() throws Exception {
        prepareAndInstall();
        assertThat(look().problems()).isEmpty();

        app.run(insert(42));
        assertThat(look().firstWrites()).containsExactly(42);
        app.run("BEGIN; " + insert(50) + "; ROLLBACK");
        arm();

        assertThat(look().armed()).isTrue();
        assertThat(look().fence()).containsOnlyKeys(17, 42).containsEntry(42, owned(42));
        app.run(insert(42));
        Refusal.of(() -> app.run(insert(50))).isStaleRoute(50, "ABSENT");
    }

    @Test
    void armingWaitsForAFirstWriteInFlightAndLosesNothing() throws Exception {
        prepareAndInstall();
        app.run("BEGIN; " + insert(42));
        CompletableFuture<Void> arming = start(this::arm);
        eventually(
                "the arming to wait",
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND application_name = 'shardwright/adopt' AND wait_event_type = 'Lock')");

        try (Other another = new Other(shop, shop.app())) {
            another.run(insert(50));
        }
        app.run("COMMIT");
        arming.get();

        assertThat(look().fence()).containsOnlyKeys(17, 42, 50);
    }

    @Test
    void armingThatIsGivenUpLeavesEverythingAsItWasAndNamesTheSession() throws Exception {
        prepareAndInstall();
        app.run("BEGIN; " + insert(42));
        try (Connection operator =
                new PostgresSessions().primary(shop.access(), As.OPERATOR, Session.probe("arming"))) {
            Arming hasty = new Arming(operator, "ds-0", SCHEMA, Duration.ZERO);

            assertThatThrownBy(hasty::arm)
                    .isInstanceOf(ShardException.class)
                    .hasMessageContainingAll("of shop_app", "has a transaction open");
        }
        app.run("COMMIT");

        assertThat(look().armed()).isFalse();
        assertThat(look().firstWrites()).containsExactly(42);
    }

    @Test
    void firstWritesOfTheSameBucketsInAnotherOrderDoNotWaitForEachOther() throws Exception {
        prepareAndInstall();
        try (Other another = new Other(shop, shop.app())) {
            another.run("SET lock_timeout = '1ms'");
            app.run("SET lock_timeout = '1ms'; BEGIN; " + insert(42));
            another.run("BEGIN; " + insert(50));

            app.run(insert(50));
            another.run(insert(42));

            app.run("COMMIT");
            another.run("COMMIT");
        }
        assertThat(look().firstWrites()).containsExactlyInAnyOrder(42, 50);
    }

    @Test
    void aSnapshotThatIsOlderThanTheFenceOrItsArmingIsToldToRepeat() throws Exception {
        app.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
        prepareAndInstall();
        assertThat(Refusal.of(() -> app.run(insert(42))).sqlState()).isEqualTo("40001");
        app.run("ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ; " + insert(42) + "; COMMIT");

        app.run("BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM orders");
        arm();
        assertThat(Refusal.of(() -> app.run(insert(50))).sqlState()).isEqualTo("40001");
        app.run("ROLLBACK; BEGIN ISOLATION LEVEL SERIALIZABLE");
        Refusal.of(() -> app.run(insert(50))).isStaleRoute(50, "ABSENT");
    }

    @Test
    void anOldSnapshotDoesNotTrustANoteThatWasTakenBackAndNotesItsOwnOnce() throws Exception {
        prepareAndInstall();
        app.run(insert(42) + "; DELETE FROM orders WHERE tenant_id = %d".formatted(keyIn(42)));
        app.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM orders");
        shards.release(shop.access(), SCHEMA, new TreeSet<>(List.of(42)));

        app.run(insert(42) + "; " + insert(42) + "; COMMIT");

        assertThat(shop.count("shardwright.first_write WHERE bucket = 42")).isEqualTo(1);
    }

    @Test
    void aChangeOfAKeyAndTruncatePassUntilTheFenceIsArmed() throws Exception {
        prepareAndInstall();
        String change = "UPDATE orders SET tenant_id = %d".formatted(keyIn(42));

        app.run(change);
        shop.plant("GRANT TRUNCATE ON orders, order_items TO shop_app");
        app.run("TRUNCATE orders, order_items; " + insert(42));
        assertThat(look().firstWrites()).containsExactly(42);

        arm();
        String back = "UPDATE orders SET tenant_id = %d".formatted(keyIn(17));
        assertThat(Refusal.of(() -> app.run(back)).sqlState()).isEqualTo("0A000");
        assertThat(Refusal.of(() -> app.run("TRUNCATE orders, order_items")).sqlState())
                .isEqualTo("0A000");
    }

    @Test
    void aRouterMayNotEnterABucketThatNobodyWasGivenYet() throws Exception {
        prepareAndInstall();

        Refusal.of(() -> app.run("SELECT shardwright.enter(42, '%d', NULL)".formatted(keyIn(42))))
                .isStaleRoute(42, "ABSENT");
        app.run("SELECT shardwright.enter(17, '%d', NULL)".formatted(keyIn(17)));
        assertThat(look().firstWrites()).isEmpty();
    }

    @Test
    void everyStepMayBeRepeatedAndChangesNothingOnceArmed() throws Exception {
        prepareAndInstall();
        prepareAndInstall();
        arm();
        String before = shop.value("SELECT shardwright.schema_identity() || xmin FROM shardwright.installation");

        arm();
        prepareAndInstall();

        assertThat(shop.value("SELECT shardwright.schema_identity() || xmin FROM shardwright.installation"))
                .isEqualTo(before);
        assertThat(look().armed()).isTrue();
        assertThat(look().problems()).isEmpty();
    }

    @Test
    void aBucketWithoutRowsIsReleasedAndAnyOtherIsNot() throws Exception {
        prepareAndInstall();
        app.run(insert(42));
        assertThatThrownBy(() -> shards.release(shop.access(), SCHEMA, new TreeSet<>(List.of(17, 42))))
                .isInstanceOf(MisplacedRowsException.class)
                .hasMessageContainingAll("orders", "[17, 42]");

        app.run("DELETE FROM orders WHERE tenant_id = %d".formatted(keyIn(42)));
        shards.release(shop.access(), SCHEMA, new TreeSet<>(List.of(42)));
        app.run("DELETE FROM orders");
        shards.release(shop.access(), SCHEMA, new TreeSet<>(List.of(17)));

        assertThat(look().firstWrites()).isEmpty();
        assertThat(look().fence()).isEmpty();
    }

    @Test
    void aBucketThatSomebodyWritesIsNotReleasedAndNobodyWaits() throws Exception {
        prepareAndInstall();
        app.run("BEGIN; " + insert(42));

        assertThatThrownBy(() -> shards.release(shop.access(), SCHEMA, new TreeSet<>(List.of(42))))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("at work on buckets [42]");

        app.run("COMMIT");
        assertThat(look().firstWrites()).containsExactly(42);
    }

    @Test
    void whatAMoveHasWrittenIsNotReleased() throws Exception {
        prepareAndInstall();
        shop.setFence(60, FenceState.OWNED, 2, "ds-0", null);

        shards.release(shop.access(), SCHEMA, new TreeSet<>(List.of(60)));

        assertThat(look().fence()).containsKey(60);
    }

    private void asVersionOne() {
        shop.plant("""
                ALTER TABLE shardwright.installation DROP armed; ALTER TABLE shardwright.sharded_table DROP scanned;
                DROP TABLE shardwright.first_write; UPDATE shardwright.installation SET version = 1""");
    }

    @Test
    void aFenceOfVersionOneStaysArmedWhenItIsUpgraded() throws Exception {
        prepareAndInstall();
        arm();
        asVersionOne();
        assertThat(look().armed()).isTrue();

        shards.installFence(shop.access(), SCHEMA);

        assertThat(look().problems()).isEmpty();
        assertThat(look().armed()).isTrue();
        Refusal.of(() -> app.run(insert(42))).isStaleRoute(42, "ABSENT");
    }

    @Test
    void anAdoptionThatVersionOneDidNotFinishIsResumedWithoutRefusals() throws Exception {
        prepareAndInstall();
        arm();
        asVersionOne();

        prepareAndInstall();

        app.run(insert(42));
        assertThat(look().firstWrites()).containsExactly(42);
    }
}
