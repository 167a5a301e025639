package io.shardwright.operator.feed;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.shardwright.operator.ClusterKey;
import io.shardwright.operator.access.Doorkeeper;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

/**
 * {@code GET /v1/clusters/{namespace}/{name}/routing}: the newest table at once, then each newer one, with a heartbeat in
 * between. A cluster without a table gets heartbeats until it has one.
 */
final class FeedRoute {
    private final RouterRequests requests;
    private final TableCache tables;
    private final FeedStreams streams = new FeedStreams();
    private final Duration heartbeat;

    FeedRoute(RouterRequests requests, TableCache tables, Duration heartbeat, MeterRegistry metrics) {
        this.requests = requests;
        this.tables = tables;
        this.heartbeat = heartbeat;
        tables.onNew(streams::offer);
        Gauge.builder("shardwright.feed.streams", streams, FeedStreams::count)
                .description("open streams of routers")
                .register(metrics);
    }

    void attach(Router router) {
        router.get(RouterRequests.PATH + "/routing")
                .handler(request -> requests.admit(request, Doorkeeper.Wish.HEAR, ignored -> open(request)));
    }

    private void open(RoutingContext request) {
        ClusterKey cluster = RouterRequests.cluster(request);
        HttpServerResponse response = request.response();
        response.setChunked(true)
                .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream; charset=utf-8")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("X-Accel-Buffering", "no");
        FeedStream stream = new FeedStream(
                request.vertx().getOrCreateContext(),
                response,
                request.request().getHeader("Last-Event-ID"),
                tables.newest(cluster).orElse(null));
        streams.add(cluster, stream);
        long timer = request.vertx().setPeriodic(heartbeat.toMillis(), ignored -> stream.beat());
        response.closeHandler(ignored -> {
            request.vertx().cancelTimer(timer);
            streams.remove(cluster, stream);
        });
        response.endHandler(ignored -> {
            request.vertx().cancelTimer(timer);
            streams.remove(cluster, stream);
        });
        stream.beat();
        tables.newest(cluster).ifPresent(stream::offer);
    }

    /** Ends all streams, so that routers connect to another replica at once. */
    void endAll() {
        streams.endAll();
    }
}
