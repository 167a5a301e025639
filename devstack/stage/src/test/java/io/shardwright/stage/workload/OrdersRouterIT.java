package io.shardwright.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardwright.client.RouterIdentity;
import io.shardwright.client.Shardwright;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.ledger.LedgerEntry.Kind;
import io.shardwright.stage.ledger.LedgerEntry.Mode;
import io.shardwright.stage.ledger.LedgerLine;
import io.shardwright.stage.ledger.LedgerReader;
import io.shardwright.stage.ledger.StoredRow;
import io.shardwright.stage.shop.ShardDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The load against one real database that owns every bucket: what it says in its ledger is what lies there. */
class OrdersRouterIT {
    private static final int BUCKETS = 8;

    /** A fence that never refuses; the real one is the dataplane's, and the stories have it. */
    private static final String OPEN_FENCE = """
        CREATE ROLE shop_owner; CREATE ROLE shop_app LOGIN PASSWORD 'app'; CREATE SCHEMA shardwright;
        CREATE TABLE shardwright.fence (scope text PRIMARY KEY, bucket int, state text, epoch bigint, owner text, move_id uuid);
        INSERT INTO shardwright.fence SELECT 'b:' || b, b, 'OWNED', 1, 'ds-0' FROM generate_series(0, 7) b;
        CREATE FUNCTION shardwright.enter(bucket int, key text, epoch bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
        GRANT USAGE ON SCHEMA shardwright TO shop_app; GRANT SELECT ON shardwright.fence TO shop_app\
        """;

    @TempDir
    private Path directory;

    @Test
    void itsLedgerIsTheTruthAndAnAuditFindsWhatIsTakenAway() throws IOException, InterruptedException {
        PostgresServer server = PostgresServer.builder().name("ds-0").start();
        try (ShardDatabase shard = new ShardDatabase(server)) {
            server.createDatabase(ShardDatabase.DATABASE);
            shard.run(OPEN_FENCE);
            shard.run(tables());
            OrdersRouter router = router(server);
            Thread running = new Thread(() -> run(router), "router");
            running.start();
            Eventually.until(
                    "300 acknowledged writes",
                    Duration.ofSeconds(60),
                    () -> report().path("acknowledged").asLong() >= 300,
                    () -> report().toString());

            router.stop(running);

            List<LedgerLine> ledger = LedgerReader.read(List.of(directory.resolve("ledger.tsv")));
            JsonNode report = report();
            assertThat(report.path("sent").asLong()).isEqualTo(ledger.size());
            assertThat(report.path("acknowledged").asLong()).isEqualTo(ledger.size());
            assertThat(report.path("applicationErrors").toString()).isEqualTo("{\"autocommit\":{},\"transaction\":{}}");
            assertThat(ledger).extracting(line -> line.entry().kind()).contains(Kind.values());
            assertThat(ledger).extracting(line -> line.entry().mode()).contains(Mode.values());
            assertThat(audit(ledger, shard).clean())
                    .as("every acknowledged write is there")
                    .isTrue();

            shard.run("DELETE FROM order_items WHERE id = (SELECT max(id) FROM order_items)");
            assertThat(audit(ledger, shard).lost()).as("the contrast").isEqualTo(1);
        }
    }

    private static String tables() throws IOException {
        try (var script = ShardDatabase.class.getResourceAsStream("shop.sql")) {
            return new String(script.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
                    .replaceAll("CREATE ROLE [^;]*;", "");
        }
    }

    private static AuditReport audit(List<LedgerLine> ledger, ShardDatabase shard) {
        return new LedgerAudit(tenant -> "ds-0", LedgerAudit.Copies.NONE).audit(ledger, StoredRow.read(List.of(shard)));
    }

    private JsonNode report() {
        try {
            return new ObjectMapper()
                    .readTree(directory.resolve("workload.json").toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(OrdersRouter router) {
        try {
            router.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private OrdersRouter router(PostgresServer server) throws IOException {
        RoutingTable table = new RoutingTable(
                new TableOrder(1, 1, 1),
                1,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, BUCKETS),
                RunLengthMap.filled(BUCKETS, "ds-0"),
                RunLengthMap.filled(BUCKETS, 1L),
                new TreeMap<>(),
                List.of(),
                new TreeMap<>(Map.of("ds-0", new ShardEntry(ShardRole.GENERAL, server.host(), server.port()))));
        Files.writeString(directory.resolve("table.json"), RoutingTableCodec.encode(table));
        Files.writeString(directory.resolve("workload.json"), "{}");
        Shardwright sw = Shardwright.builder("orders")
                .namespace("shop")
                .role(Role.WORKER)
                .identity(new RouterIdentity("uid", "worker-0", "orders"))
                .file(directory.resolve("table.json"))
                .pools(OrdersRouter.pools(ShardDatabase.DATABASE, ShardDatabase.APPLICATION_LOGIN, "app"))
                .build();
        return new OrdersRouter(sw, new LoadOptions(1, 60, BUCKETS, 2, 0.5), directory);
    }
}
