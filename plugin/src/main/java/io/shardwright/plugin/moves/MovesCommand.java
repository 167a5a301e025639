package io.shardwright.plugin.moves;

import io.shardwright.plugin.Asking;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.api.ClusterApi;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kubectl shardwright moves}. */
@Command(
        name = "moves",
        description = {
            "List moves: how far each is, what it has cost writers, whom it waits for and what somebody should do.",
            "HOLD is the longest pause of writers so far, and in brackets what the next switch is expected to cost."
        },
        footer = {
            "",
            "Examples:",
            "  kubectl shardwright moves -n shop",
            "  kubectl shardwright moves orders -n shop -o json"
        })
public final class MovesCommand extends Asking implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "CLUSTER", description = "Only the moves of this ShardCluster.")
    private String cluster;

    @Override
    public Integer call() {
        try (ClusterApi api = api()) {
            print(MovesView.of(
                    api.namespace(),
                    cluster == null
                            ? api.moves()
                            : api.moves(api.cluster(Optional.of(cluster))
                                    .getMetadata()
                                    .getName()),
                    here().clock().instant()));
            return ExitCode.DONE;
        }
    }
}
