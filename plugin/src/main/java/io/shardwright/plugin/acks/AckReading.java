package io.shardwright.plugin.acks;

import io.fabric8.kubernetes.api.model.Pod;
import io.shardwright.crds.Acks;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableStatus;
import io.shardwright.crds.shardcluster.RouterGroup;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.acks.AcksView.Missing;
import io.shardwright.plugin.acks.AcksView.Router;
import io.shardwright.plugin.acks.AcksView.State;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Puts together what the operator has said and which pods there are: pure. */
final class AckReading {
    private AckReading() {}

    /** Pods of each router group, in the order of the spec; empty when they may not be listed. */
    record Pods(Map<RouterGroup, List<Pod>> byGroup) {}

    static AcksView view(ShardCluster cluster, Optional<RoutingTable> table, Optional<Pods> pods) {
        String name = cluster.getMetadata().getName();
        RoutingTable found = table.orElseThrow(() -> new Refusal(
                "ShardCluster " + name + " has no routing table yet: nothing is to be acknowledged",
                "see why: kubectl -n " + cluster.getMetadata().getNamespace() + " describe shardcluster " + name));
        Optional<RoutingTableStatus> said = Optional.ofNullable(found.getStatus())
                .filter(status -> status.acked() != null)
                .filter(status -> found.getMetadata().getGeneration().equals(status.observedGeneration()));
        List<Missing> missing = said.map(RoutingTableStatus::missing).orElse(List.of()).stream()
                .map(one -> new Missing(one.name(), one.reason()))
                .toList();
        return new AcksView(
                cluster.getMetadata().getNamespace(),
                name,
                found.getSpec().revision(),
                said.isPresent(),
                said.map(status -> counts(status.acked())).orElse(Map.of()),
                missing,
                pods.map(all -> routers(all, said, missing)).orElse(null));
    }

    private static Map<String, String> counts(Acks acks) {
        Map<String, String> counts = new LinkedHashMap<>();
        counts.put("worker", acks.worker());
        counts.put("web", acks.web());
        counts.put("all", acks.total());
        return counts;
    }

    private static List<Router> routers(Pods pods, Optional<RoutingTableStatus> said, List<Missing> missing) {
        List<Router> routers = new ArrayList<>();
        pods.byGroup().forEach((group, members) -> {
            List<String> live = members.stream()
                    .filter(AckReading::isLive)
                    .map(pod -> pod.getMetadata().getName())
                    .sorted()
                    .toList();
            State unnamed = unnamed(group, live.size(), said);
            live.forEach(pod -> routers.add(router(pod, role(group), unnamed, missing)));
        });
        return routers;
    }

    private static Router router(String pod, String role, State unnamed, List<Missing> missing) {
        boolean named = missing.stream().anyMatch(one -> one.name().equals(pod + " (" + role + ")"));
        return new Router(pod, role, named ? State.MISSING : unnamed);
    }

    /** A router that is not named has acknowledged, if the operator has counted these very routers and has named all. */
    private static State unnamed(RouterGroup group, int live, Optional<RoutingTableStatus> said) {
        return said.filter(status -> status.missing().size() < RoutingTableStatus.MISSING_MAX)
                .map(RoutingTableStatus::acked)
                .map(acks -> group.role() == RouterGroup.Role.WORKER ? acks.worker() : acks.web())
                .filter(counts -> counts.endsWith("/" + live))
                .map(counts -> State.ACKNOWLEDGED)
                .orElse(State.UNKNOWN);
    }

    private static String role(RouterGroup group) {
        return group.role().wire().toLowerCase(Locale.ROOT);
    }

    /** Neither before its start nor after its end; whether it routes already is told by the operator's counts. */
    private static boolean isLive(Pod pod) {
        String phase = pod.getStatus() == null ? "Pending" : pod.getStatus().getPhase();
        return "Running".equals(phase) || "Unknown".equals(phase);
    }
}
