package io.shardwright.stage.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.shardwright.routing.Role;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import io.shardwright.stage.Checkout;
import io.shardwright.stage.operator.Installation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The routers here are small shell scripts: what is tested is that pod and process stay true to each other. */
class StageKubeletIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String WAIT = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done";

    private static ControlPlane plane;
    private static StageKubelet kubelet;

    @BeforeAll
    static void installTheShippedManifests() {
        plane = ControlPlane.start();
        var installation = new Installation(plane, Checkout.find());
        installation.product();
        installation.shop();
        kubelet = new StageKubelet(plane, "shop", "orders-routing", Map.of("SHARDWRIGHT_CLUSTER", "orders"));
    }

    @AfterAll
    static void stop() {
        kubelet.close();
        plane.close();
    }

    @Test
    void tellsTheRouterWhoItIsAndThePodThatItRuns() throws Exception {
        var router = start("told", "env; " + WAIT);

        awaitLine(router, "ready");
        assertThat(Files.readAllLines(router.log()))
                .contains(
                        "POD_NAME=told",
                        "POD_UID=" + router.podUid(),
                        "SHARDWRIGHT_ROLE=web",
                        "SHARDWRIGHT_CLUSTER=orders");
        var status = pod("told").getStatus();
        assertThat(status.getPhase()).isEqualTo("Running");
        assertThat(status.getContainerStatuses().get(0).getStarted()).isTrue();
        assertThat(pod("told").getMetadata().getLabels()).containsEntry("app", "orders-web");
    }

    @Test
    void givesATokenThatIsBoundToThePod() throws Exception {
        var router = start("bound", WAIT);
        var review = new TokenReviewBuilder()
                .withNewSpec()
                .withToken(Files.readString(router.directory().resolve("token")))
                .withAudiences("shardwright.io")
                .endSpec()
                .build();

        var status = plane.adminClient().resource(review).create().getStatus();

        assertThat(status.getAuthenticated()).isTrue();
        assertThat(status.getUser().getUsername()).isEqualTo("system:serviceaccount:shop:orders-web");
        assertThat(status.getUser().getExtra().get("authentication.kubernetes.io/pod-uid"))
                .containsExactly(router.podUid());
    }

    @Test
    void showsAnExitInThePodsStatus() {
        start("failing", "exit 3");

        awaitPhase("failing", "Failed");
        var container = pod("failing").getStatus().getContainerStatuses().get(0);
        assertThat(container.getState().getTerminated().getExitCode()).isEqualTo(3);
        assertThat(container.getStarted()).isFalse();
    }

    @Test
    void showsAKilledProcessAsFailedAndAFrozenOneAsRunning() {
        var router = start("frozen", WAIT);
        router.freeze();
        assertThat(pod("frozen").getStatus().getPhase()).isEqualTo("Running");

        router.kill();

        awaitPhase("frozen", "Failed");
    }

    @Test
    void endsTheProcessKindlyWhenItsPodIsDeleted() {
        var router = start("deleted", WAIT);
        awaitLine(router, "ready");

        kubelet.delete("deleted", Duration.ofSeconds(30));

        assertThat(router.exitCode()).contains(0);
        assertThat(pod("deleted")).isNull();
    }

    @Test
    void killsAFrozenProcessWhenTheGracePeriodIsOver() {
        var router = start("stuck", WAIT);
        router.freeze();

        plane.kubectl(plane.adminKubeconfig(), "-n", "shop", "delete", "pod", "stuck", "--grace-period=1")
                .orThrow();

        assertThat(router.exitCode()).contains(128 + 9);
    }

    @Test
    void killsTheProcessWhenItsPodIsRemovedByForce() {
        var router = start("forced", WAIT);

        plane.kubectl(plane.adminKubeconfig(), "-n", "shop", "delete", "pod", "forced", "--force")
                .orThrow();

        Eventually.until("the process to end", LIMIT, () -> !router.isRunning(), router.process()::evidence);
    }

    @Test
    void mountsTheRoutingTableAndKeepsItFresh() {
        var router = start("mounted", WAIT);
        table("{\"revision\":1}");
        awaitMounted(router, "{\"revision\":1}");

        table("{\"revision\":2}");

        awaitMounted(router, "{\"revision\":2}");
        awaitMounted(start("mounted-later", WAIT), "{\"revision\":2}");
    }

    @Test
    void reportsWhatHappenedWhileTheApiServerWasAway() {
        var router = start("unseen", WAIT);
        plane.killApiServer();

        router.kill();
        plane.restartApiServer();

        awaitPhase("unseen", "Failed");
    }

    private static RouterProcess start(String name, String script) {
        return kubelet.start(RouterSpec.program(name, Role.WEB, List.of("sh", "-c", script)));
    }

    private static Pod pod(String name) {
        return plane.adminClient().pods().inNamespace("shop").withName(name).get();
    }

    private static void awaitPhase(String name, String phase) {
        Eventually.until(
                "pod " + name + " to be " + phase,
                LIMIT,
                () -> pod(name).getStatus().getPhase().equals(phase),
                () -> pod(name).getStatus().toString());
    }

    private static void awaitLine(RouterProcess router, String line) {
        Eventually.until(
                "the line " + line, LIMIT, () -> router.process().tail(1).contains(line), router.process()::evidence);
    }

    private static void table(String document) {
        var map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName("orders-routing")
                .withNamespace("shop")
                .endMetadata()
                .withData(Map.of("table.json", document))
                .build();
        plane.adminClient().resource(map).createOr(existing -> existing.update());
    }

    private static void awaitMounted(RouterProcess router, String document) {
        var file = router.directory().resolve("table.json");
        Eventually.until(
                "the mounted table",
                LIMIT,
                () -> Files.exists(file) && read(file).equals(document),
                file::toString);
    }

    private static String read(java.nio.file.Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
