package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.TwoShards;
import io.shardwright.client.table.Contact;
import io.shardwright.client.table.FenceWatch;
import io.shardwright.routing.RoutingTable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One tenant of a bucket has a shard of its own, ds-1; its neighbours stay with the bucket on ds-0. The fences are real, and the
 * router may know more or less than they do.
 */
class PinnedKeyIT {
    private static final int BUCKET = 3;
    private static final long HOT = TwoShards.tenant(BUCKET, 0);
    private static final long NEIGHBOUR = TwoShards.tenant(BUCKET, 1);
    private static TwoShards shards = new TwoShards();

    private final TestRouter router =
            new TestRouter(shards.pools(shards.server().port()));
    private final FenceWatch fences = new FenceWatch(TestRouter.INSTANCE, router.table, router.pools, router.contact);

    @AfterAll
    static void stop() {
        shards.close();
    }

    /** K1 to K3 by hand: the key row of the source points on, the target owns the key, the bucket counts its override. */
    @BeforeEach
    void isolate() {
        shards.reset();
        shards.sql(
                "ds-0",
                "UPDATE shardwright.fence SET overrides = 1 WHERE scope = 'b:" + BUCKET + "';" + keyRow("MOVED", 2)
                        + row(NEIGHBOUR, "neighbour"));
        shards.sql("ds-1", keyRow("OWNED", 2) + row(HOT, "hot"));
    }

    @AfterEach
    void close() {
        router.close();
        assertThat(shards.connectionsInUse()).isZero();
    }

    /** SH409 names the Dedicated shard, and the work goes there; another key of the bucket is not sent along. */
    @Test
    void aRouterWithoutThePinIsLedToTheShardOfTheKeyAndItsNeighbourStays() throws Exception {
        router.knows(shards.table(1, Map.of()));

        update(HOT, "hotter");
        update(NEIGHBOUR, "kept");

        assertThat(shards.values("ds-1", HOT)).containsExactly("hotter");
        assertThat(shards.values("ds-0", HOT)).isEmpty();
        assertThat(shards.values("ds-0", NEIGHBOUR)).containsExactly("kept");
        assertThat(router.counters.replays()).isEqualTo(1);
    }

    @Test
    void aRouterWithThePinAsksNobody() throws Exception {
        router.knows(pinned(1));

        update(HOT, "hotter");
        update(NEIGHBOUR, "kept");

        assertThat(shards.values("ds-1", HOT)).containsExactly("hotter");
        assertThat(shards.values("ds-0", NEIGHBOUR)).containsExactly("kept");
        assertThat(router.counters.replays()).isZero();
    }

    @Test
    void aRouterThatStillHasThePinIsLedBackAfterTheFold() throws Exception {
        router.knows(pinned(1));
        foldBack(true);

        update(HOT, "home");

        assertThat(shards.values("ds-0", HOT)).containsExactly("home");
        assertThat(router.counters.replays()).isEqualTo(1);
    }

    /** Its pod object is gone, so no cleanup waited for it; the rows of the key are no longer where its table leads. */
    @Test
    void aRouterThatIsCutOffNeverReadsAMovedKeyAsNoRows() throws Exception {
        router.knows(shards.table(1, Map.of()));
        assertThatThrownBy(() -> read(HOT, "hot"))
                .as("the contrast: a trusted router")
                .isInstanceOf(AssertionError.class);

        cutOff();

        read(HOT, "hot");
        read(NEIGHBOUR, "neighbour");
        assertThat(router.counters.replays()).isEqualTo(1);
    }

    @Test
    void aRouterThatIsCutOffNeverReadsAFoldedKeyAsNoRows() throws Exception {
        router.knows(pinned(1));
        foldBack(false);
        assertThatThrownBy(() -> read(HOT, "hot"))
                .as("the contrast: a trusted router")
                .isInstanceOf(AssertionError.class);

        cutOff();

        read(HOT, "hot");
        read(NEIGHBOUR, "neighbour");
        update(HOT, "home");
        assertThat(shards.values("ds-0", HOT)).containsExactly("home");
        router.contact.confirmed();
        fences.look();
        assertThat(router.table.require().unpinned())
                .as("somebody vouches for the table again")
                .isEmpty();
    }

    /** K4 by hand. @param tombstone the source of the way back still says where the key went */
    private void foldBack(boolean tombstone) {
        shards.sql(
                "ds-1",
                "DELETE FROM orders; DELETE FROM shardwright.fence WHERE scope LIKE 'k:%';"
                        + (tombstone ? keyRow("MOVED", 3).replace("ds-1", "ds-0") : ""));
        shards.sql(
                "ds-0",
                "DELETE FROM shardwright.fence WHERE scope LIKE 'k:%'; UPDATE shardwright.fence SET overrides = 0;"
                        + row(HOT, "hot"));
    }

    private void cutOff() {
        router.nanos.addAndGet(
                Contact.CUT_OFF_AFTER.toNanos() + Duration.ofSeconds(1).toNanos());
        fences.look();
    }

    private void update(long tenant, String value) throws Exception {
        try (ShardScope scope = router.key(tenant);
                var connection = router.dataSource.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE orders SET v = ? WHERE tenant_id = ?")) {
            assertThat(scope.key().text()).isEqualTo(Long.toString(tenant));
            update.setString(1, value);
            update.setLong(2, tenant);
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
    }

    private void read(long tenant, String value) throws Exception {
        try (ShardScope scope = router.key(tenant);
                var connection = router.dataSource.getConnection();
                Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT v FROM orders WHERE tenant_id = " + tenant)) {
            assertThat(rows.next())
                    .as("the row of %s, on whichever shard", tenant)
                    .isTrue();
            assertThat(rows.getString(1)).isEqualTo(value);
        }
    }

    private static RoutingTable pinned(long revision) {
        RoutingTable table = shards.table(revision, Map.of());
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                new TreeMap<>(Map.of(Long.toString(HOT), "ds-1")),
                List.of(),
                table.shards());
    }

    private static String keyRow(String state, int epoch) {
        return "INSERT INTO shardwright.fence (scope, bucket, state, epoch, owner) VALUES ('k:" + HOT + "', " + BUCKET
                + ", '" + state + "', " + epoch + ", 'ds-1');";
    }

    private static String row(long tenant, String value) {
        return "INSERT INTO orders (tenant_id, v) VALUES (" + tenant + ", '" + value + "');";
    }
}
