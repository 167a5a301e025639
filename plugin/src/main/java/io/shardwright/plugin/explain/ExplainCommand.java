package io.shardwright.plugin.explain;

import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.plugin.Asking;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.api.ClusterApi;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kubectl shardwright explain}. */
@Command(
        name = "explain",
        description = {
            "Show where a key lives: its bucket, its shard, the rule that says so, and a handover that is under way.",
            "It is computed by the code that routers use, from the routing table that they read."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright explain 42 -n shop",
            "  kubectl shardwright explain -n shop --cluster orders -- -42",
            "  kubectl shardwright explain 0191d0a4-7a4e-7c3b-9d6e-2f1b8c9d0e1f -n shop -o yaml"
        })
public final class ExplainCommand extends Asking implements Callable<Integer> {
    @Parameters(paramLabel = "KEY", description = "The shard key, as the application has it.")
    private String key;

    @Option(
            names = {"-c", "--cluster"},
            paramLabel = "CLUSTER",
            description = "Name of the ShardCluster; default: the only one.")
    private String cluster;

    @Override
    public Integer call() {
        try (ClusterApi api = api()) {
            ShardCluster found = api.cluster(Optional.ofNullable(cluster));
            String name = found.getMetadata().getName();
            print(KeyReading.explain(found, api.table(name), api.moves(name), key));
            return ExitCode.DONE;
        }
    }
}
