package io.shardwright.plugin.acks;

import io.fabric8.kubernetes.api.model.Pod;
import io.shardwright.crds.shardcluster.RouterGroup;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.plugin.Asking;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.api.ClusterApi;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kubectl shardwright acks}. */
@Command(
        name = "acks",
        description = {
            "Show who has acknowledged which revision of the routing table, and who is missing and why.",
            "The routers that are not missing are named when you may list pods."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright acks orders -n shop",
            "  kubectl shardwright acks -n shop -o json"
        })
public final class AcksCommand extends Asking implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "CLUSTER",
            description = "Name of the ShardCluster; default: the only one.")
    private String cluster;

    @Override
    public Integer call() {
        try (ClusterApi api = api()) {
            ShardCluster found = api.cluster(Optional.ofNullable(cluster));
            print(AckReading.view(found, api.table(found.getMetadata().getName()), pods(api, found)));
            return ExitCode.DONE;
        }
    }

    private static Optional<AckReading.Pods> pods(ClusterApi api, ShardCluster cluster) {
        Map<RouterGroup, List<Pod>> byGroup = new LinkedHashMap<>();
        for (RouterGroup group : cluster.getSpec().routers()) {
            Optional<List<Pod>> pods = api.pods(group.podSelector().matchLabels());
            if (pods.isEmpty()) {
                return Optional.empty();
            }
            byGroup.put(group, pods.get());
        }
        return Optional.of(new AckReading.Pods(byGroup));
    }
}
