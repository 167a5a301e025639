package io.shardwright.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who leads, and what becomes of a leader that must not: real processes, real signals, a real API server that goes away. */
@ExtendWith(Cluster.Extension.class)
class LeadershipIT {
    private static final Map<String, String> SHORT_LEASE = Map.of(
            "SHARDWRIGHT_LEASE_DURATION", "8S",
            "SHARDWRIGHT_LEASE_RENEW_DEADLINE", "7S",
            "SHARDWRIGHT_LEASE_RETRY_PERIOD", "0.5S");

    private final Cluster cluster;

    LeadershipIT(Cluster cluster) {
        this.cluster = cluster;
    }

    @BeforeEach
    void forgetLease() {
        cluster.forgetLease();
    }

    @Test
    void onSigtermTheNextReplicaLeadsWithinSeconds() {
        try (RunningOperator first = RunningOperator.start(cluster, "first").awaitLeading();
                RunningOperator second =
                        RunningOperator.start(cluster, "second").awaitReady()) {
            assertThat(second.leads()).isFalse();

            long asked = System.nanoTime();
            first.process().signal("TERM");
            second.awaitLeading();
            Duration handover = Duration.ofNanos(System.nanoTime() - asked);

            assertThat(handover).as("a lease that is not released lasts 15 s").isLessThan(Duration.ofSeconds(10));
            assertThat(first.exitCode()).isEqualTo(143);
            assertThat(first.log()).contains("lease released", "stopped").doesNotContain("process ends at once");
            assertThat(cluster.leaseHolder()).startsWith("second_");
        }
    }

    @Test
    void aLeaderWhoseLeaseIsHeldByAnotherEndsAtOnce() {
        try (RunningOperator leader = new RunningOperator(cluster, "robbed", SHORT_LEASE).awaitLeading()) {
            cluster.admin()
                    .leases()
                    .inNamespace(Cluster.OPERATOR_NAMESPACE)
                    .withName("shardwright-operator")
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            "{\"spec\": {\"holderIdentity\": \"robber\"}}"); // whatever the leader renews meanwhile

            assertThat(leader.exitCode()).isEqualTo(1);
            assertThat(leader.log()).contains("the lease is held by robber");
        }
    }

    @Test
    void aLeaderThatWasStoppedEndsWhenItWakesUp() {
        try (RunningOperator frozen = new RunningOperator(cluster, "frozen", SHORT_LEASE).awaitLeading();
                RunningOperator next = new RunningOperator(cluster, "next", SHORT_LEASE).awaitReady()) {
            frozen.process().freeze();
            next.awaitLeading();
            frozen.process().thaw();

            assertThat(frozen.exitCode()).isEqualTo(1);
            assertThat(cluster.leaseHolder()).startsWith("next_");
            assertThat(next.leads()).isTrue();
        }
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
