package io.shardwright.stage.workload;

import io.shardwright.client.RouterIdentity;
import io.shardwright.client.Shardwright;
import io.shardwright.client.ShardwrightBuilder;
import io.shardwright.client.pools.HikariPools;
import io.shardwright.client.pools.Pools;
import io.shardwright.routing.Role;
import io.shardwright.stage.ledger.LedgerWriter;
import io.shardwright.stage.shop.ShopLayout;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The sample router. Its environment is that of every router on the stage ({@code RouterSpec}); in its working directory it
 * keeps {@code ledger.tsv} and {@code workload.json}, and reads {@code hot-tenants} and {@code hot-buckets}. The load begins with the first table;
 * SIGTERM ends it gracefully: what has begun is finished, and the report is written once more.
 */
public final class OrdersRouter {
    private static final System.Logger LOG = System.getLogger(OrdersRouter.class.getName());
    private static final Duration FINISH = Duration.ofSeconds(10);
    private static final Duration RAMP = Duration.ofSeconds(5);
    private static final Duration CONNECTION_WAIT = Duration.ofSeconds(20);
    private static final int CONNECTIONS_PER_SHARD = 6;
    private static final long TABLE_LOOK_MILLIS = 100;

    private final Shardwright sw;
    private final LedgerWriter ledger;
    private final List<List<Long>> tenantsByBucket;
    private final TenantChoice tenants;
    private final WorkloadReport report = new WorkloadReport();
    private final Path reportFile;
    private final OpenLoop loop;
    private final CountDownLatch stopping = new CountDownLatch(1);

    OrdersRouter(Shardwright sw, LoadOptions options, Path directory) {
        this.sw = sw;
        this.ledger = new LedgerWriter(directory.resolve("ledger.tsv"), options.router());
        this.reportFile = directory.resolve("workload.json");
        ShopLayout layout = new ShopLayout(options.buckets(), 1, options.tenantsPerBucket(), 0);
        this.tenantsByBucket = layout.tenantsByBucket();
        this.tenants = new TenantChoice(tenantsByBucket, directory);
        Application application =
                new Application(sw, ledger, tenants, report, options.router(), options.autocommitShare());
        this.loop = new OpenLoop(options.rate(), RAMP, application::operate);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Map<String, String> environment = System.getenv();
        LoadOptions options = LoadOptions.parse(List.of(arguments));
        OrdersRouter router = new OrdersRouter(connect(environment), options, Path.of(""));
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> router.stop(main), "stop"));
        router.run();
    }

    private static Shardwright connect(Map<String, String> environment) throws IOException {
        ShardwrightBuilder builder = Shardwright.builder(environment.get("SHARDWRIGHT_CLUSTER"))
                .namespace(environment.get("SHARDWRIGHT_NAMESPACE"))
                .role(Role.fromWire(environment.get("SHARDWRIGHT_ROLE")))
                .identity(new RouterIdentity(environment.get("POD_UID"), environment.get("POD_NAME"), "orders"))
                .feed(Arrays.stream(environment.get("SHARDWRIGHT_FEED").split(","))
                        .map(URI::create)
                        .toArray(URI[]::new))
                .tokenFile(Path.of(environment.get("SHARDWRIGHT_TOKEN_FILE")))
                .caFile(Path.of(environment.get("SHARDWRIGHT_CA_FILE")))
                .lastKnown(Path.of("last-known-table"))
                .pools(pools(
                        environment.get("SHOP_DATABASE"),
                        environment.get("SHOP_USER"),
                        environment.get("SHOP_PASSWORD")));
        if (environment.containsKey("SHARDWRIGHT_TABLE_FILE")) {
            builder.file(Path.of(environment.get("SHARDWRIGHT_TABLE_FILE")));
        }
        return builder.build();
    }

    static Pools pools(String database, String user, String password) {
        return HikariPools.postgres(database, user, password, config -> {
            config.setMaximumPoolSize(CONNECTIONS_PER_SHARD); // and no fewer: a login in the middle of work is a wait
            config.setConnectionTimeout(CONNECTION_WAIT.toMillis());
        });
    }

    /** Returns when the process is being stopped. */
    void run() throws InterruptedException {
        report.write(reportFile, sw);
        if (awaitTable()) {
            warmUp();
            LOG.log(
                    System.Logger.Level.INFO,
                    "the load begins with table {0}",
                    sw.tableOrder().get());
            loop.start();
            do {
                tenants.refresh();
                report.write(reportFile, sw);
            } while (!stopping.await(1, TimeUnit.SECONDS));
            if (!loop.stop(FINISH)) {
                LOG.log(System.Logger.Level.WARNING, "some operations had no answer within {0}: unknown", FINISH);
            }
            report.write(reportFile, sw);
        }
        ledger.close();
        sw.close();
    }

    /** Reads once in every bucket, as a readiness check would: the load is not to measure logins and class loading. */
    private void warmUp() {
        for (List<Long> bucket : tenantsByBucket) {
            try {
                sw.inTransaction(bucket.get(0), connection -> OrderSql.countOrders(connection, bucket.get(0)));
            } catch (SQLException e) {
                LOG.log(System.Logger.Level.WARNING, "not reached while warming up", e);
            }
        }
    }

    /** False when the process is stopped before it has a table. */
    private boolean awaitTable() throws InterruptedException {
        while (sw.tableOrder().isEmpty()) {
            if (stopping.await(TABLE_LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return true;
    }

    /** Ends {@link #run} and waits until it has finished. */
    void stop(Thread running) {
        stopping.countDown();
        try {
            running.join(FINISH.plusSeconds(2).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
