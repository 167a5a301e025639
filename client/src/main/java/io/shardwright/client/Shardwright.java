package io.shardwright.client;

import io.shardwright.client.jdbc.RoutedDataSource;
import io.shardwright.client.jdbc.Router;
import io.shardwright.client.jdbc.RouterCounters;
import io.shardwright.client.jdbc.ShardScope;
import io.shardwright.client.jdbc.TransactionWork;
import io.shardwright.client.table.RouteView;
import io.shardwright.routing.Route;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.TableOrder;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Executor;
import javax.sql.DataSource;

/**
 * A router: plain JDBC over the shards of one cluster. Thread-safe; one per process.
 *
 * <pre>{@code
 * Shardwright sw = Shardwright.builder("orders").namespace("shop").role(Role.WEB)
 *     .identity(new RouterIdentity(podUid, podName, "web"))
 *     .feed(URI.create("https://shardwright-feed:8443")).tokenFile(token).caFile(ca)
 *     .lastKnown(Path.of("/var/lib/app/table")).pools(Pools.hikari("shop", user, password)).build();
 * try (ShardScope s = sw.key(tenantId); Connection c = sw.dataSource().getConnection()) { ... }
 * sw.inTransaction(tenantId, c -> { ... });
 * }</pre>
 */
public final class Shardwright implements AutoCloseable {
    private final Router router;
    private final RoutedDataSource dataSource;
    private final TableSources sources;

    Shardwright(Router router, TableSources sources) {
        this.router = router;
        this.dataSource = new RoutedDataSource(router);
        this.sources = sources;
    }

    /** @param cluster name of the ShardCluster */
    public static ShardwrightBuilder builder(String cluster) {
        return new ShardwrightBuilder(cluster);
    }

    /** Connections to the shard of the key in scope. */
    public DataSource dataSource() {
        return dataSource;
    }

    /**
     * Opens the scope of a key on this thread; close it before the next unit of work for another key.
     *
     * @throws io.shardwright.client.errors.MissingShardKeyException when the value is null or blank
     * @throws io.shardwright.routing.UnroutableKeyException when it is no key of the cluster's type
     * @throws io.shardwright.client.errors.NoRoutingTableException before the first table
     */
    public ShardScope key(Object value) {
        return router.scopes().open(router.scopes().key(value));
    }

    /**
     * A transaction that may be run again after a refusal of the fence: do in it only what a rollback undoes. Committed when
     * the work returns, rolled back when it throws.
     *
     * @throws io.shardwright.client.errors.StaleRouteException after three changes of shard or five seconds
     * @throws io.shardwright.client.errors.AmbiguousWriteException when COMMIT was not answered
     */
    public <T> T inTransaction(Object key, TransactionWork<T> work) throws SQLException {
        return dataSource.transactions().run(router.scopes().key(key), work);
    }

    /** Which rule sends a key where; opens nothing. */
    public Explanation explainKey(Object value) {
        ShardKey key = router.scopes().key(value);
        RouteView view = router.table().require();
        Route route = view.route(key, router.role());
        return new Explanation(key, route, view.table().shards().get(route.shard()), view.order());
    }

    /** Runs tasks in the scope of the thread that submitted them. */
    public Executor wrap(Executor executor) {
        return router.scopes().wrap(executor);
    }

    public RouterCounters counters() {
        return router.counters();
    }

    /** Order of the table in force; empty before the first one. */
    public Optional<TableOrder> tableOrder() {
        return router.table().current().map(RouteView::order);
    }

    /** Whether nobody has confirmed an acknowledgement for 20 s: the router then asks the fences itself. */
    public boolean isCutOff() {
        return router.contact().cutOff();
    }

    /** Stops listening and closes all pools; work in flight fails. */
    @Override
    public void close() {
        sources.close();
        router.pools().close();
    }
}
