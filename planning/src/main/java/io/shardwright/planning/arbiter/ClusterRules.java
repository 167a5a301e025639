package io.shardwright.planning.arbiter;

import io.shardwright.planning.windows.Closure;
import java.util.Optional;

/**
 * What holds the whole cluster.
 *
 * @param cluster name of the ShardCluster
 * @param suspended no new action of any kind
 * @param maintenance text of the annotation by which another system takes part: "who: why"; nothing new starts
 * @param maxConcurrentMoves of one cluster, at least 1
 * @param closed why by the policy's windows and freezes nothing forward begins now; empty = it may
 */
public record ClusterRules(
        String cluster,
        boolean suspended,
        Optional<String> maintenance,
        int maxConcurrentMoves,
        Optional<Closure> closed) {}
