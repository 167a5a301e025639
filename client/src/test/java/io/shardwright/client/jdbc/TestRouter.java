package io.shardwright.client.jdbc;

import io.shardwright.client.load.LoadMeter;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.pools.Pools;
import io.shardwright.client.table.Contact;
import io.shardwright.client.table.Flights;
import io.shardwright.client.table.RouteTable;
import io.shardwright.client.table.TableIntake;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** A router without feed and files: the test offers the tables, and says whether the operator has confirmed it. */
final class TestRouter implements AutoCloseable {
    static final String INSTANCE = "shardwright-router/test";

    final AtomicLong nanos = new AtomicLong(1);
    final RouteTable table = new RouteTable();
    final Flights flights = new Flights(table::require, () -> {});
    final Contact contact = new Contact(nanos::get);
    final RouterCounters counters = new RouterCounters();
    final LoadMeter load = new LoadMeter(nanos::get);

    /** What happens whenever a newer table is asked for. */
    volatile Runnable refreshing = () -> {};

    final PoolSet pools;
    final TableIntake intake;
    final Router router;
    final RoutedDataSource dataSource;

    TestRouter(Pools factory) {
        pools = new PoolSet(factory);
        intake = new TableIntake("orders", INSTANCE, table, pools, null, () -> {});
        Scopes scopes = new Scopes(table);
        router = new Router(
                Role.WORKER,
                INSTANCE,
                table,
                flights,
                pools,
                contact,
                scopes,
                counters,
                load,
                new Random(7),
                () -> refreshing.run());
        dataSource = new RoutedDataSource(router);
        contact.confirmed();
    }

    TestRouter knows(RoutingTable wanted) {
        intake.offer(RoutingTableCodec.encode(wanted), "test");
        return this;
    }

    ShardScope key(long tenant) {
        return router.scopes().open(router.scopes().key(tenant));
    }

    @Override
    public void close() {
        pools.close();
    }
}
