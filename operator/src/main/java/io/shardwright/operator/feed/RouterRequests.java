package io.shardwright.operator.feed;

import io.micrometer.core.instrument.MeterRegistry;
import io.shardwright.operator.ClusterKey;
import io.shardwright.operator.access.Admission;
import io.shardwright.operator.access.Doorkeeper;
import io.shardwright.operator.access.RouterIdentity;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** What every request of a router goes through: the door, off the event loop, then back on it with the router's identity. */
final class RouterRequests {
    static final String PATH = "/v1/clusters/:namespace/:cluster";
    private static final Logger LOG = Logger.getLogger(RouterRequests.class);

    private final Doorkeeper doorkeeper;
    private final ExecutorService blocking;
    private final MeterRegistry metrics;

    /** @param blocking where waiting for the API server is allowed */
    RouterRequests(Doorkeeper doorkeeper, ExecutorService blocking, MeterRegistry metrics) {
        this.doorkeeper = doorkeeper;
        this.blocking = blocking;
        this.metrics = metrics;
    }

    static ClusterKey cluster(RoutingContext request) {
        return new ClusterKey(request.pathParam("namespace"), request.pathParam("cluster"));
    }

    /** @param admitted called on the event loop of the request, unless the request was answered with a refusal */
    void admit(RoutingContext request, Doorkeeper.Wish wish, Consumer<RouterIdentity> admitted) {
        Context loop = request.vertx().getOrCreateContext();
        String authorization = request.request().getHeader(HttpHeaders.AUTHORIZATION);
        ClusterKey cluster = cluster(request);
        blocking.execute(() -> {
            Admission admission = doorkeeper.admit(authorization, cluster, wish);
            loop.runOnContext(ignored -> answer(request, admission, admitted));
        });
    }

    private void answer(RoutingContext request, Admission admission, Consumer<RouterIdentity> admitted) {
        count(admission);
        if (request.response().closed()) {
            return;
        }
        switch (admission) {
            case Admission.Admitted in -> admitted.accept(in.router());
            case Admission.Unauthenticated no -> {
                request.response().putHeader("WWW-Authenticate", "Bearer");
                refuse(request, 401, no.reason());
            }
            case Admission.Forbidden no -> refuse(request, 403, no.reason());
            case Admission.Unknown no -> refuse(request, 503, no.reason());
        }
    }

    private void count(Admission admission) {
        metrics.counter(
                        "shardwright.admissions",
                        "outcome",
                        admission.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT))
                .increment();
    }

    /** Answers with plain words; a 503 also closes the connection, so that the next try may reach another replica. */
    static void refuse(RoutingContext request, int status, String reason) {
        LOG.debugf("refused: status=%d path=%s reason=%s", status, request.normalizedPath(), reason);
        if (status == 503) {
            request.response().putHeader(HttpHeaders.CONNECTION, "close");
        }
        request.response()
                .setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
                .end(reason + "\n");
    }
}
