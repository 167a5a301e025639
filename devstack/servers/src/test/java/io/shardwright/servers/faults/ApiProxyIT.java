package io.shardwright.servers.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the proxy calls an effect, and who knows what after each fault. */
class ApiProxyIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Predicate<Effect> ANY = effect -> true;
    private static final String NAME = "proxied";

    private static ControlPlane plane;
    private ApiProxy proxy;
    private KubernetesClient client;

    @BeforeAll
    static void startControlPlane() {
        plane = ControlPlane.start();
    }

    @AfterAll
    static void stopControlPlane() {
        plane.close();
    }

    @BeforeEach
    void stand() {
        proxy = ApiProxy.before(plane).listen();
        client = client(0);
    }

    /** @param repeats how often the client repeats a call before it tells anybody */
    private KubernetesClient client(int repeats) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(plane.adminClient().getConfiguration())
                        .withMasterUrl(proxy.url())
                        .withOnlyHttpWatches(true)
                        .withRequestRetryBackoffLimit(repeats)
                        .build())
                .build();
    }

    @AfterEach
    void leave() {
        client.close();
        proxy.close();
        plane.adminClient().configMaps().inNamespace("default").withName(NAME).delete();
    }

    private static ConfigMap configMap(String value) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace("default")
                .endMetadata()
                .withData(Map.of("value", value))
                .build();
    }

    private static ConfigMap stored() {
        return plane.adminClient()
                .configMaps()
                .inNamespace("default")
                .withName(NAME)
                .get();
    }

    private void create() {
        client.resource(configMap("1")).create();
    }

    private static void update(KubernetesClient client, String value) {
        var object = stored();
        object.setData(Map.of("value", value));
        client.resource(object).update();
    }

    private void update(String value) {
        update(client, value);
    }

    private static int code(Throwable thrown) {
        return ((KubernetesClientException) thrown).getCode();
    }

    @Test
    void numbersWhatChangesSomethingAndNothingElse() {
        create();
        assertThat(client.configMaps().inNamespace("default").withName(NAME).get())
                .isEqualTo(stored());
        update("2");
        update("3");
        client.configMaps().inNamespace("default").withName("nobody").delete();
        client.resource(new EventBuilder()
                        .withNewMetadata()
                        .withGenerateName("told.")
                        .withNamespace("default")
                        .endMetadata()
                        .withReason("Told")
                        .withNewInvolvedObject()
                        .withKind("ConfigMap")
                        .withName(NAME)
                        .withNamespace("default")
                        .endInvolvedObject()
                        .build())
                .create();
        var namespace = plane.adminClient().namespaces().withName("default").get();
        namespace.getMetadata().setManagedFields(null);
        client.resource(namespace).update();

        assertThat(proxy.effects())
                .extracting(Effect::name)
                .containsExactly(
                        "create configmaps #1",
                        "update configmaps/proxied #1",
                        "update configmaps/proxied #2",
                        "delete configmaps/nobody #1",
                        "create events Told proxied #1",
                        "update namespaces/default Active #1");
        assertThat(stored().getData()).containsEntry("value", "3");
    }

    @Test
    void aConflictIsNeverHeardOfAndStrikesOnce() {
        create();
        proxy.arm(effect -> effect.name().equals("update configmaps/proxied #2"), ApiFault.CONFLICT);
        update("2");

        assertThatThrownBy(() -> update("3"))
                .satisfies(thrown -> assertThat(code(thrown)).isEqualTo(409));

        assertThat(stored().getData()).containsEntry("value", "2");
        update("4");
        assertThat(stored().getData()).containsEntry("value", "4");
        assertThat(proxy.struck()).contains(proxy.effects().get(2));
    }

    @Test
    void whatIsRefusedIsRefusedOnceMoreWhenTheClientRepeatsIt() {
        create();
        proxy.arm(ANY, ApiFault.SERVER_ERROR);
        try (var patient = client(1)) {
            assertThatThrownBy(() -> update(patient, "2"))
                    .satisfies(thrown -> assertThat(code(thrown)).isEqualTo(500));

            update(patient, "3");
        }
        assertThat(stored().getData()).containsEntry("value", "3");
    }

    @Test
    void tooManyRequestsSayHowLongToWait() {
        proxy.arm(ANY, ApiFault.TOO_MANY_REQUESTS);
        var http = client.getHttpClient();
        var request = http.newHttpRequestBuilder()
                .uri(proxy.url() + "/api/v1/namespaces/default/configmaps")
                .post("application/json", "{}")
                .build();

        assertThat(http.sendAsync(request, String.class))
                .succeedsWithin(LIMIT)
                .satisfies(answer -> assertThat(answer.code()).isEqualTo(429))
                .satisfies(answer -> assertThat(answer.header("Retry-After")).isEqualTo("1"));
    }

    @Test
    void aCallThatIsCutAfterItsAnswerHappenedAndTheClientSeesABrokenConnection() {
        proxy.arm(ANY, ApiFault.CUT_AFTER);

        assertThatThrownBy(this::create)
                .satisfies(thrown -> assertThat(code(thrown)).as("no answer").isNegative());

        assertThat(stored().getData()).containsEntry("value", "1");
    }

    private static CompletableFuture<Void> inBackground(Runnable call) {
        return CompletableFuture.runAsync(call, Thread::startVirtualThread);
    }

    @Test
    void aClientThatIsKilledBeforeItSendsIsNotHeardAnyMore() {
        proxy.arm(ANY, ApiFault.KILL_BEFORE);
        var waiting = inBackground(this::create);
        Eventually.until("the fault to strike", proxy::clientIsDead);
        var another = inBackground(() ->
                client.configMaps().inNamespace("default").withName("other").delete());
        assertThat(waiting).isNotDone();

        proxy.close();

        assertThat(waiting).failsWithin(LIMIT);
        assertThat(another).failsWithin(LIMIT);
        assertThat(stored()).isNull();
        assertThat(proxy.effects()).hasSize(1);
    }

    @Test
    void aClientThatIsKilledBeforeTheAnswerHasDoneIt() {
        proxy.arm(ANY, ApiFault.KILL_AFTER);
        var waiting = inBackground(this::create);
        Eventually.until("the fault to strike", proxy::clientIsDead);
        assertThat(waiting).isNotDone();
        assertThat(stored().getData()).containsEntry("value", "1");

        proxy.close();

        assertThat(waiting).failsWithin(LIMIT);
    }

    /** What a watch has said, and how it has ended. */
    private static final class Heard implements Watcher<ConfigMap> {
        private final List<String> values = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Integer> end = new CompletableFuture<>();

        @Override
        public void eventReceived(Action action, ConfigMap resource) {
            values.add(action + " " + resource.getData().get("value"));
        }

        @Override
        public void onClose(WatcherException cause) {
            end.complete(Objects.requireNonNull(cause.asClientException()).getCode());
        }
    }

    private Heard watch() {
        var heard = new Heard();
        client.configMaps().inNamespace("default").withName(NAME).watch(heard);
        return heard;
    }

    @Test
    void aWatchHasBegunBeforeAnythingHappens() {
        try (var quiet = client.configMaps().inNamespace("default").inform()) {
            Eventually.until("the watch to begin", quiet::isWatching);
        }
    }

    @Test
    void aWatchIsPassedOnAndBeginsAgainWhereItWasClosed() {
        var heard = watch();
        create();
        Eventually.until("the first event", () -> heard.values.size() == 1);

        proxy.arm(ANY, ApiFault.CLOSE_WATCHES);
        update("2");

        Eventually.until("the event that was missed", LIMIT, () -> heard.values.size() == 2, heard.values::toString);
        assertThat(heard.values).containsExactly("ADDED 1", "MODIFIED 2");
        assertThat(heard.end).isNotDone();
    }

    @Test
    void aWatchThatExpiresEnds() {
        var heard = watch();
        create();
        Eventually.until("the first event", () -> heard.values.size() == 1);

        proxy.arm(ANY, ApiFault.EXPIRE_WATCHES);
        update("2");

        assertThat(heard.end).succeedsWithin(LIMIT).isEqualTo(410);
        assertThat(heard.values).containsExactly("ADDED 1");
        assertThat(stored().getData()).containsEntry("value", "2");
    }
}
