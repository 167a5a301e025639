package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus.Plan;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.Tables;
import io.shardwright.planning.hotkeys.LoadWindow;
import io.shardwright.planning.windows.Hours;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What the operator's own planner shows for these objects; in its package, because nobody else is to call it. */
public final class OperatorsPlan {
    private OperatorsPlan() {}

    /** Empty when nothing has to move. */
    public static Optional<Plan> of(ShardCluster cluster, ShardPolicy policy, RoutingTable table) {
        var hot = HotKeyPass.find(
                policy,
                cluster,
                Tables.table(table),
                List.of(),
                LoadWindow.UNKNOWN,
                Instant.parse("2026-03-01T08:00:00Z"));
        var inputs = Clusters.planInputs(cluster, Tables.table(table), Optional.of(policy.getSpec()), hot.now());
        var seen = new PolicyObservation(
                policy,
                policy,
                Hours.ALWAYS,
                Optional.of(cluster),
                Optional.of(inputs),
                hot,
                List.of(),
                hash -> Optional.empty());
        return PolicyPlanner.plan(seen).shown();
    }
}
