package io.shardwright.operator.feed;

import io.micrometer.core.instrument.MeterRegistry;
import io.shardwright.operator.ClusterKey;
import io.shardwright.operator.access.Doorkeeper;
import io.shardwright.operator.access.RouterIdentity;
import io.shardwright.routing.AckReply;
import io.shardwright.routing.AckReplyCodec;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.AcknowledgementCodec;
import io.shardwright.routing.json.MalformedDocumentException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/**
 * {@code POST /v1/clusters/{namespace}/{name}/acks}. A router speaks for its own pod only, and only a leader with a fresh
 * Lease confirms: whoever else answered would make a router feel heard by somebody who does not decide.
 */
final class AckRoute {
    private static final long LARGEST_BODY = 64 * 1024;

    private final RouterRequests requests;
    private final TableCache tables;
    private final AckTaker taker;
    private final BooleanSupplier mayConfirm;
    private final MeterRegistry metrics;

    AckRoute(
            RouterRequests requests,
            TableCache tables,
            AckTaker taker,
            BooleanSupplier mayConfirm,
            MeterRegistry metrics) {
        this.requests = requests;
        this.tables = tables;
        this.taker = taker;
        this.mayConfirm = mayConfirm;
        this.metrics = metrics;
    }

    void attach(Router router) {
        router.post(RouterRequests.PATH + "/acks")
                .handler(BodyHandler.create(false).setBodyLimit(LARGEST_BODY))
                .handler(request ->
                        requests.admit(request, Doorkeeper.Wish.ACKNOWLEDGE, identity -> take(request, identity)));
    }

    private void take(RoutingContext request, RouterIdentity router) {
        Acknowledgement ack;
        try {
            ack = AcknowledgementCodec.decode(request.body().asString(StandardCharsets.UTF_8.name()));
        } catch (MalformedDocumentException e) {
            refuse(request, "malformed", 400, "no acknowledgement: " + e.getMessage());
            return;
        }
        if (router.pod().isEmpty()) {
            refuse(request, "foreign", 403, "the token of " + router.user() + " is not bound to a pod");
        } else if (!speaksForItself(router.pod().get(), ack)) {
            refuse(request, "foreign", 403, "instance and pod of the acknowledgement are not those of the token");
        } else {
            answer(request, ack);
        }
    }

    private static boolean speaksForItself(RouterIdentity.BoundPod pod, Acknowledgement ack) {
        return pod.uid().equals(ack.instance()) && pod.name().equals(ack.pod());
    }

    private void answer(RoutingContext request, Acknowledgement ack) {
        ClusterKey cluster = RouterRequests.cluster(request);
        boolean leads = mayConfirm.getAsBoolean();
        boolean taken = leads && taker.accept(cluster.namespace(), cluster.name(), ack, System.nanoTime());
        count(taken ? "confirmed" : leads ? "superseded" : "unconfirmed");
        if (!leads) {
            request.response().putHeader(HttpHeaders.CONNECTION, "close");
        }
        AckReply reply = new AckReply(
                taken, tables.newest(cluster).map(TableDocument::order).orElse(null));
        request.response()
                .setStatusCode(leads ? 200 : 503)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .end(AckReplyCodec.encode(reply));
    }

    private void refuse(RoutingContext request, String outcome, int status, String reason) {
        count(outcome);
        RouterRequests.refuse(request, status, reason);
    }

    private void count(String outcome) {
        metrics.counter("shardwright.acknowledgements", "outcome", outcome).increment();
    }
}
