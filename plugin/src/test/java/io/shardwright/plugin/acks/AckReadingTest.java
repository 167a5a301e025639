package io.shardwright.plugin.acks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableStatus;
import io.shardwright.crds.shardcluster.RouterGroup;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.plugin.Golden;
import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.Shop;
import io.shardwright.plugin.acks.AcksView.Router;
import io.shardwright.plugin.acks.AcksView.State;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AckReadingTest {
    private static final ShardCluster CLUSTER = Shop.cluster(100, Map.of("ds-0", 100));
    private static final String ONE_MISSING = """
            {observedGeneration: 7, acked: {worker: 1/1, web: 1/2, total: 2/3},
             missing: [{name: orders-web-7 (web), reason: "is at revision 41 of 42: wait"}]}""";

    @Test
    void whoIsMissingIsNamedAndTheOthersHaveAcknowledged() {
        AcksView view = view(ONE_MISSING, pods(List.of("orders-worker-1"), List.of("orders-web-7", "orders-web-3")));

        assertThat(view.routers())
                .containsExactly(
                        new Router("orders-worker-1", "worker", State.ACKNOWLEDGED),
                        new Router("orders-web-3", "web", State.ACKNOWLEDGED),
                        new Router("orders-web-7", "web", State.MISSING));
        Golden.check("acks", view.text());
    }

    @Test
    void aPodThatTheOperatorHasNotCountedIsUnknown() {
        AcksView view = view(
                ONE_MISSING,
                pods(List.of("orders-worker-1"), List.of("orders-web-3", "orders-web-7", "orders-web-new")));

        assertThat(view.routers())
                .filteredOn(router -> router.role().equals("web"))
                .extracting(Router::state)
                .containsExactly(State.UNKNOWN, State.MISSING, State.UNKNOWN);
    }

    @Test
    void whoeverIsOnlyCountedAsMissingMakesTheOthersUnknown() {
        String missing = IntStream.range(0, RoutingTableStatus.MISSING_MAX)
                .mapToObj("{name: other-%d (web), reason: silent}"::formatted)
                .collect(Collectors.joining(", "));

        AcksView view = view(
                "{observedGeneration: 7, acked: {worker: 1/1, web: 0/2, total: 1/3}, missing: [" + missing + "]}",
                pods(List.of("orders-worker-1"), List.of("orders-web-3", "orders-web-7")));

        assertThat(view.routers()).extracting(Router::state).containsOnly(State.UNKNOWN);
    }

    @Test
    void wordsAboutAnOlderTableSayNothing() {
        AcksView view = view(ONE_MISSING.replace("observedGeneration: 7", "observedGeneration: 6"), Optional.empty());

        assertThat(view.known()).isFalse();
        assertThat(view.acknowledged()).isEmpty();
        assertThat(view.missing()).isEmpty();
        assertThat(view.text()).contains("the operator has not said yet who has acknowledged it");
    }

    @Test
    void aPodThatHasNotStartedOrHasEndedRoutesNothing() {
        Pod pending = pod("orders-web-9", "Pending");
        Pod ended = pod("orders-web-8", "Succeeded");
        Map<RouterGroup, List<Pod>> groups =
                Map.of(CLUSTER.getSpec().routers().get(1), List.of(pending, ended, pod("orders-web-3", "Running")));

        AcksView view = view(
                "{observedGeneration: 7, acked: {worker: 0/0, web: 1/1, total: 1/1}}",
                Optional.of(new AckReading.Pods(groups)));

        assertThat(view.routers()).containsExactly(new Router("orders-web-3", "web", State.ACKNOWLEDGED));
        assertThat(view.text()).contains("every live router has acknowledged it");
    }

    @Test
    void whoMayNotListPodsIsToldSo() {
        assertThat(view(ONE_MISSING, Optional.empty()).text())
                .contains("orders-web-7 (web)", "that needs the right to list pods");
    }

    @Test
    void withoutATableNothingIsToBeAcknowledged() {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> AckReading.view(CLUSTER, Optional.empty(), Optional.empty()))
                .withMessageContaining("has no routing table yet");
    }

    private static AcksView view(String status, Optional<AckReading.Pods> pods) {
        RoutingTable table = Shop.acknowledged(Shop.table("ds-0*100", 100), status.replace("\n", " "));
        return AckReading.view(CLUSTER, Optional.of(table), pods);
    }

    private static Optional<AckReading.Pods> pods(List<String> workers, List<String> webs) {
        Map<RouterGroup, List<Pod>> byGroup = new java.util.LinkedHashMap<>();
        byGroup.put(CLUSTER.getSpec().routers().get(0), running(workers));
        byGroup.put(CLUSTER.getSpec().routers().get(1), running(webs));
        return Optional.of(new AckReading.Pods(byGroup));
    }

    private static List<Pod> running(List<String> names) {
        return names.stream().map(name -> pod(name, "Running")).toList();
    }

    private static Pod pod(String name, String phase) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .withPhase(phase)
                .endStatus()
                .build();
    }
}
