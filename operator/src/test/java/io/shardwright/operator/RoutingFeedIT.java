package io.shardwright.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.shardwright.routing.AckReply;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.TableOrder;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Feed and acknowledgements of a leading operator, and who is refused at the door. */
@ExtendWith(Cluster.Extension.class)
class RoutingFeedIT {
    private static Cluster cluster;
    private static RunningOperator operator;
    private static Router router;
    private static String shop;
    private static Pod pod;
    private static String token;

    @BeforeAll
    static void startOperator(Cluster shared) {
        cluster = shared;
        cluster.forgetLease();
        operator = RunningOperator.start(cluster, "feed");
        router = new Router(cluster.plane().certificateAuthority().certificatePem());
        shop = cluster.newNamespace();
        pod = cluster.newPod(shop, "orders-worker-1");
        token = cluster.token(pod, "shardwright.io");
        operator.awaitReady().awaitLeading();
    }

    @AfterAll
    static void stopOperator() {
        operator.close();
    }

    private static URI feed(String name) {
        return operator.feed("/v1/clusters/" + shop + "/" + name + "/routing");
    }

    private static URI acks(String name) {
        return operator.feed("/v1/clusters/" + shop + "/" + name + "/acks");
    }

    private static RoutingTable stored(RoutingTable table, long generation) {
        return table.withOrder(
                new TableOrder(table.order().incarnation(), table.order().revision(), generation));
    }

    private static RoutingTable next(RoutingTable table) {
        TableOrder order = table.order();
        RoutingTable moved = new RoutingTable(
                new TableOrder(order.incarnation(), order.revision() + 1, order.generation() + 1),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs().with(3, order.revision() + 1),
                table.pins(),
                table.handovers(),
                table.shards());
        return moved;
    }

    @Test
    void sendsTheWholeTableOnConnectAndEveryNewerOne() throws Exception {
        RoutingTable first = Cluster.firstTable("orders");
        cluster.publish(shop, first);

        try (Router.Stream stream = router.hear(feed("orders"), token)) {
            stream.await("the first table", () -> stream.events().size() >= 3);
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.response().headers().firstValue("content-type"))
                    .hasValue("text/event-stream; charset=utf-8");
            assertThat(stream.response().headers().firstValue("x-accel-buffering"))
                    .hasValue("no");
            assertThat(stream.events())
                    .containsExactly("event: table", "id: 1/1", "data: " + RoutingTableCodec.encode(stored(first, 1)));

            RoutingTable second = next(first);
            cluster.publish(shop, second);
            stream.await("the second table", () -> stream.events().size() >= 6);
            assertThat(stream.events().subList(3, 6))
                    .containsExactly("event: table", "id: 1/2", "data: " + RoutingTableCodec.encode(second));
        }
    }

    @Test
    void doesNotRepeatTheTableThatARouterHas() throws Exception {
        RoutingTable first = Cluster.firstTable("known");
        cluster.publish(shop, first);
        try (Router.Stream earlier = router.hear(feed("known"), token)) {
            earlier.await("the first table", () -> earlier.events().size() >= 3);
        }

        try (Router.Stream stream = router.hear(feed("known"), token, "Last-Event-ID", "1/1")) {
            stream.await("heartbeats", () -> stream.heartbeats() >= 3);
            assertThat(stream.events()).isEmpty();
            cluster.publish(shop, next(first));
            stream.await("the second table", () -> stream.events().contains("id: 1/2"));
        }
    }

    @Test
    void keepsAStreamAliveUntilItsClusterHasATable() throws Exception {
        try (Router.Stream stream = router.hear(feed("later"), token)) {
            stream.await("heartbeats", () -> stream.heartbeats() >= 2);
            assertThat(stream.events()).isEmpty();

            cluster.publish(shop, Cluster.firstTable("later"));
            stream.await("the first table", () -> stream.events().contains("id: 1/1"));
        }
    }

    @Test
    void theLeaderConfirmsAnAcknowledgementAndNamesTheNewestTable() throws Exception {
        RoutingTable first = Cluster.firstTable("acked");
        cluster.publish(shop, first);
        try (Router.Stream stream = router.hear(feed("acked"), token)) {
            stream.await("the first table", () -> stream.events().size() >= 3);
        }

        HttpResponse<String> confirmed = router.post(acks("acked"), token, Router.acknowledgement(pod, 7));
        HttpResponse<String> older = router.post(acks("acked"), token, Router.acknowledgement(pod, 6));

        assertThat(confirmed.statusCode()).isEqualTo(200);
        assertThat(Router.reply(confirmed)).isEqualTo(new AckReply(true, new TableOrder(1, 1, 1)));
        assertThat(Router.reply(older).confirmed()).isFalse();
    }

    /** Nobody waits for the load of a router, and everybody for its acknowledgement. */
    @Test
    void anAcknowledgementMayCarryTheLoadOfManyShards() throws Exception {
        String document = Router.acknowledgement(pod, 70, Router.load(30));

        assertThat(document.length()).isBetween(40 * 1024, 60 * 1024);
        assertThat(Router.reply(router.post(acks("loaded"), token, document)).confirmed())
                .isTrue();
    }

    @Test
    void refusesWhoHasNoTokenOrOneForSomebodyElse() throws Exception {
        assertThat(status(feed("orders"), null)).isEqualTo(401);
        assertThat(status(feed("orders"), "made.up.token")).isEqualTo(401);
        assertThat(status(feed("orders"), cluster.token(pod, "https://kubernetes.default.svc")))
                .isEqualTo(401);
        assertThat(router.post(acks("orders"), "made.up.token", Router.acknowledgement(pod, 1))
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void refusesARouterOfAnotherNamespace() throws Exception {
        Pod stranger = cluster.newPod(cluster.newNamespace(), "orders-worker-1");
        String strange = cluster.token(stranger, "shardwright.io");

        assertThat(status(feed("orders"), strange)).isEqualTo(403);
        assertThat(router.post(acks("orders"), strange, Router.acknowledgement(stranger, 1))
                        .statusCode())
                .isEqualTo(403);
        assertThat(status(operator.feed("/v1/clusters/" + shop + "/no%20such%2fname/routing"), token))
                .isEqualTo(403);
    }

    @Test
    void aRouterSpeaksForItsOwnPodOnly() throws Exception {
        Pod other = cluster.newPod(shop, "orders-worker-2");
        String ofNoPod = cluster.admin()
                .serviceAccounts()
                .inNamespace(shop)
                .withName("router")
                .tokenRequest(new io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences("shardwright.io")
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();

        HttpResponse<String> forOther = router.post(acks("orders"), token, Router.acknowledgement(other, 1));
        HttpResponse<String> unbound = router.post(acks("orders"), ofNoPod, Router.acknowledgement(pod, 1));

        assertThat(forOther.statusCode()).isEqualTo(403);
        assertThat(forOther.body()).contains("not those of the token");
        assertThat(unbound.statusCode()).isEqualTo(403);
        assertThat(unbound.body()).contains("not bound to a pod");
    }

    @Test
    void aTokenOfAPodThatIsGoneIsNoToken() throws Exception {
        Pod going = cluster.newPod(shop, "orders-worker-3");
        String orphan = cluster.token(going, "shardwright.io");
        cluster.admin().resource(going).withGracePeriod(0).delete();

        assertThat(router.post(acks("orders"), orphan, Router.acknowledgement(going, 1))
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void refusesBodiesThatAreTooLargeOrNoAcknowledgement() throws Exception {
        assertThat(router.announceBody(acks("orders"), token, 64 * 1024 + 1)).startsWith("HTTP/1.1 413");
        HttpResponse<String> malformed = router.post(acks("orders"), token, "{\"instance\":7}");
        assertThat(malformed.statusCode()).isEqualTo(400);
        assertThat(malformed.body()).contains("document.instance must be a string");
    }

    @Test
    void speaksNoPlainHttpToRoutersAndNoFeedOnTheManagementPort() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", operator.feedPort())) {
            socket.setSoTimeout((int) Duration.ofSeconds(10).toMillis());
            socket.getOutputStream()
                    .write(("GET " + feed("orders").getPath() + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(answer(socket)).doesNotContain("HTTP/1.1 2").doesNotContain("event:");
        }
        assertThat(operator.management(feed("orders").getPath()).statusCode()).isEqualTo(404);
    }

    private static String answer(Socket socket) {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException reset) {
            return "";
        }
    }

    @Test
    void tellsItsStateAndItsFiguresWithoutSecrets() throws Exception {
        assertThat(status(feed("orders"), null)).isEqualTo(401);

        String metrics = operator.management("/q/metrics").body();

        assertThat(metrics)
                .contains("shardwright_leading 1.0", "shardwright_feed_streams")
                .containsPattern("shardwright_admissions_total\\{outcome=\"unauthenticated\"\\} [1-9]");
        assertThat(operator.health("live")).isEqualTo(200);
        assertThat(operator.log()).doesNotContain(token).doesNotContain("PRIVATE KEY");
        assertThatThrownBy(() -> new Router(otherAuthority()).hear(feed("orders"), token))
                .isInstanceOf(javax.net.ssl.SSLHandshakeException.class);
    }

    private static String otherAuthority() {
        return io.shardwright.servers.CertificateAuthority.create("another").certificatePem();
    }

    private static int status(URI feed, String bearer) throws Exception {
        try (Router.Stream stream = router.hear(feed, bearer)) {
            return stream.status();
        }
    }
}
