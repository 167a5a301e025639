package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.SCHEMA;
import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.shardwright.dataplane.MisplacedRowsException;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.PostgresShards;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.KeyType;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** A table that is declared later comes with its rows: they are looked at, and no move begins before. */
class AppendedTableIT {
    private static final ShardedSchema ONE = new ShardedSchema(
            KeyType.INT64, ShopDatabase.BUCKETING, List.of(SCHEMA.tables().getFirst()), List.of());
    private static int databases;

    private final PostgresShards shards = new PostgresShards(new PostgresSessions());
    private ShopDatabase shop;

    /** All buckets but 42 are owned; order_items is not declared yet. */
    @BeforeEach
    void aFencedShop() {
        shop = ShopDatabase.create(SharedServers.of(Version.NEWEST), "appended_" + databases++)
                .fence(ONE, 42);
    }

    private void item(int bucket) {
        shop.plant("INSERT INTO order_items VALUES (%d, 1)".formatted(keyIn(bucket)));
    }

    private void append() throws ShardException {
        shards.installFence(shop.access(), SCHEMA);
    }

    private List<String> problems() {
        return shards.look(shop.access(), SCHEMA).problems().stream()
                .map(Problem::message)
                .toList();
    }

    @Test
    void rowsOfBucketsThatAreOwnedHereAreTakenOver() throws ShardException {
        item(17);
        assertThat(problems()).anyMatch(message -> message.contains("were not looked at yet"));

        append();

        assertThat(problems()).isEmpty();
    }

    @Test
    void rowsOfAnotherShardsBucketAreNamedBeforeAnyTriggerRefusesTheirWrites() throws SQLException, ShardException {
        item(17);
        item(42);

        assertThatThrownBy(this::append)
                .isInstanceOf(MisplacedRowsException.class)
                .hasMessageContainingAll("order_items", "bucket 42: 1 rows (key " + keyIn(42) + ")")
                .hasMessageNotContaining("bucket 17");
        try (Other app = new Other(shop, shop.app())) {
            app.run("UPDATE order_items SET sku = 'x'");
        }
        assertThat(problems()).isNotEmpty();

        shop.plant("DELETE FROM order_items WHERE tenant_id = " + keyIn(42));
        append();
        assertThat(problems()).isEmpty();
    }

    /** Else people would be told to bring the rows to where they are refused, or nobody that they are where they are refused. */
    @Test
    void rowsOfKeysThatLiveApartBelongWhereTheirKeyIsOwned() throws ShardException {
        keyRow(42, "OWNED");
        keyRow(17, "MOVED");
        item(42);
        item(17);

        assertThatThrownBy(this::append)
                .isInstanceOf(MisplacedRowsException.class)
                .hasMessageContaining("1 rows of key " + keyIn(17))
                .hasMessageNotContaining(keyIn(42) + "");

        shop.plant("DELETE FROM order_items WHERE tenant_id = " + keyIn(17));
        append();
        assertThat(problems()).isEmpty();
    }

    private void keyRow(int bucket, String state) {
        shop.plant("INSERT INTO shardwright.fence (scope, bucket, state, epoch) VALUES ('k:%d', %d, '%s', 2)"
                .formatted(keyIn(bucket), bucket, state));
    }

    @Test
    void aRowThatCameBeforeTheTriggerIsFoundUnderIt() throws SQLException, ShardException {
        try (Connection operator = shop.operator()) {
            new FenceInstallation(operator, SCHEMA).run();
            item(42);
            assertThatThrownBy(() -> new AppendedTables(operator, SCHEMA).settle())
                    .isInstanceOf(MisplacedRowsException.class);
            assertThat(problems()).singleElement().asString().contains("were not looked at yet");

            shop.setFence(42, FenceState.OWNED, 3, "ds-0", null);
            new AppendedTables(operator, SCHEMA).settle();
            assertThat(problems()).isEmpty();
        }
    }

    @Test
    void aTableWhoseTriggersAreGoneAgainIsNotCalledScanned() throws SQLException, ShardException {
        try (Connection operator = shop.operator()) {
            new FenceInstallation(operator, SCHEMA).run();
            shop.plant("ALTER TABLE order_items DISABLE TRIGGER zz_shardwright_fence");

            assertThatThrownBy(() -> new AppendedTables(operator, SCHEMA).settle())
                    .hasMessageContaining("damaged again");
        }
    }

    @Test
    void aBucketThatIsLeavingIsWaitedFor() throws Exception {
        item(17);
        try (Connection operator = shop.operator();
                Other mover = new Other(shop, shop.mover())) {
            new FenceInstallation(operator, SCHEMA).run();
            mover.run("BEGIN; UPDATE shardwright.fence SET state = 'MOVED', epoch = 2 WHERE scope = 'b:17'");
            CompletableFuture<Throwable> settling = CompletableFuture.supplyAsync(
                    () -> catchThrowable(() -> new AppendedTables(operator, SCHEMA).settle()),
                    Thread::startVirtualThread);
            int pid = operator.unwrap(PGConnection.class).getBackendPID();
            Eventually.until(
                    "the mark to wait",
                    Duration.ofSeconds(10),
                    () -> shop.count("pg_locks WHERE NOT granted AND pid = " + pid) == 1,
                    settling::toString);
            mover.run("COMMIT");

            assertThat(settling.get())
                    .isInstanceOf(MisplacedRowsException.class)
                    .hasMessageContaining("bucket 17");
        }
    }
}
