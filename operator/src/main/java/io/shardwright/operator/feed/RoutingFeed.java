package io.shardwright.operator.feed;

import io.micrometer.core.instrument.MeterRegistry;
import io.shardwright.operator.OperatorConfig;
import io.shardwright.operator.access.Doorkeeper;
import io.vertx.ext.web.Router;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/** What this process offers to routers. */
public final class RoutingFeed {
    private final FeedRoute feed;
    private final AckRoute acks;
    private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();

    /** @param mayConfirm whether this process is a leader with a fresh Lease */
    public RoutingFeed(
            OperatorConfig.Feed config,
            Doorkeeper doorkeeper,
            TableCache tables,
            AckTaker taker,
            BooleanSupplier mayConfirm,
            MeterRegistry metrics) {
        RouterRequests requests = new RouterRequests(doorkeeper, blocking, metrics);
        feed = new FeedRoute(requests, tables, config.heartbeat(), metrics);
        acks = new AckRoute(requests, tables, taker, mayConfirm, metrics);
    }

    public void attach(Router router) {
        feed.attach(router);
        acks.attach(router);
    }

    /** Ends all streams in order; routers connect to another replica. */
    public void close() {
        feed.endAll();
        blocking.shutdownNow();
    }
}
