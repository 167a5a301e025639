package io.shardwright.operator;

import static io.shardwright.operator.LeadershipIT.SHORT_LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What leader and follower do while the API server is away: a real one, which hangs or is killed. */
@ExtendWith(Cluster.Extension.class)
class AbsentApiServerIT {
    private final Cluster cluster;

    AbsentApiServerIT(Cluster cluster) {
        this.cluster = cluster;
    }

    @BeforeEach
    void forgetLease() {
        cluster.forgetLease();
    }

    @Test
    void whenTheApiServerHangsTheLeaderEndsAndItsFollowerServesWhatItHas() throws Exception {
        String shop = cluster.newNamespace();
        cluster.publish(shop, Cluster.firstTable("orders"));
        Pod pod = cluster.newPod(shop, "orders-web-1");
        String token = cluster.token(pod, "shardwright.io");
        String unknown = cluster.token(cluster.newPod(shop, "orders-web-2"), "shardwright.io");
        Router router = new Router(cluster.plane().certificateAuthority().certificatePem());
        String path = "/v1/clusters/" + shop + "/orders/";
        try (RunningOperator leader = new RunningOperator(cluster, "leader", SHORT_LEASE).awaitLeading();
                RunningOperator follower = new RunningOperator(cluster, "follower", SHORT_LEASE).awaitReady();
                Router.Stream before = router.hear(follower.feed(path + "routing"), token)) {
            before.await("the table", () -> before.events().size() >= 3);
            assertThat(post(router, follower, path, token, pod).statusCode()).isEqualTo(503);

            cluster.plane().pauseApiServer();
            try {
                assertThat(leader.exitCode()).isEqualTo(1);
                assertThat(leader.log()).contains("the lease was not renewed for 7 s");
                servesKnownRouters(router, follower.feed(path + "routing"), token, unknown);
                assertThat(follower.health("live")).isEqualTo(200);
                assertThat(follower.health("ready")).isEqualTo(200);
                assertThat(post(router, follower, path, token, pod).statusCode())
                        .isEqualTo(503);
                assertThat(before.ended()).isFalse();
            } finally {
                cluster.plane().resumeApiServer();
            }

            follower.awaitLeading();
            assertThat(Router.reply(post(router, follower, path, token, pod)).confirmed())
                    .isTrue();
        }
    }

    private static HttpResponse<String> post(
            Router router, RunningOperator operator, String path, String token, Pod pod) throws Exception {
        return router.post(operator.feed(path + "acks"), token, Router.acknowledgement(pod, 1));
    }

    private static void servesKnownRouters(Router router, URI feed, String known, String unknown) throws Exception {
        try (Router.Stream again = router.hear(feed, known);
                Router.Stream stranger = router.hear(feed, unknown)) {
            again.await("the table again", () -> again.events().size() >= 3);
            assertThat(stranger.status()).isEqualTo(503);
        }
    }

    @Test
    void startsWhileTheApiServerIsAwayAndLeadsOnceItIsBack() {
        cluster.plane().killApiServer();
        Map<String, String> jsonLogs = Map.of("QUARKUS_LOG_CONSOLE_JSON_ENABLED", "true");
        try (RunningOperator early = new RunningOperator(cluster, "early", jsonLogs)) {
            early.await("to be alive", () -> early.health("live") == 200);
            early.await("to have tried", () -> early.logged("lease not reached"));
            assertThat(early.health("ready")).isEqualTo(503);

            cluster.plane().restartApiServer();
            early.awaitReady().awaitLeading();
            assertThat(early.log()).contains("\"loggerName\":\"io.shardwright.operator.leadership.Leadership\"");
        } finally {
            cluster.plane().restartApiServer();
        }
    }
}
