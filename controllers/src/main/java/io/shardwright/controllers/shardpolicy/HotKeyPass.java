package io.shardwright.controllers.shardpolicy;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.MovePhases;
import io.shardwright.controllers.routers.AckStore;
import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.meaning.Clusters;
import io.shardwright.meaning.DetectedKeys;
import io.shardwright.meaning.Detection;
import io.shardwright.meaning.KeyNames;
import io.shardwright.meaning.Pins;
import io.shardwright.planning.hotkeys.HotKeyPlanner;
import io.shardwright.planning.hotkeys.HotKeySight;
import io.shardwright.planning.hotkeys.LoadWindow;
import io.shardwright.planning.hotkeys.ProcessReports;
import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.RoutingTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** Brings what routers reported together with what the status remembers, and has detection decide. */
final class HotKeyPass {
    private final AckStore acks;
    private final LongSupplier nanos;

    HotKeyPass(AckStore acks, LongSupplier nanos) {
        this.acks = acks;
        this.nanos = nanos;
    }

    void forget(ResourceID cluster) {
        acks.loads().forget(cluster);
    }

    /** What is detected now. A cluster that cannot be judged leaves all as it was. */
    FoundKeys find(ShardPolicy policy, ShardCluster cluster, RoutingTable table, List<BucketMove> moves, Instant now) {
        ResourceID id = PolicyNeighbours.cluster(policy);
        Detection detection = Detection.of(policy.getSpec().hotKeys(), cluster.getSpec());
        if (!detection.settings().on()) {
            forget(id);
            return find(policy, cluster, table, moves, LoadWindow.UNKNOWN, now);
        }
        Duration window = detection.settings().window();
        long nowNanos = nanos.getAsLong();
        acks.loads().keep(id, ProcessReports.reach(window));
        LoadWindow load = LoadWindow.of(acks.loads().reports(id, acks.heard(id), nowNanos), window);
        return find(policy, cluster, table, moves, load, now);
    }

    static FoundKeys find(
            ShardPolicy policy,
            ShardCluster cluster,
            RoutingTable table,
            List<BucketMove> moves,
            LoadWindow load,
            Instant now) {
        KeyNames names = KeyNames.of(cluster.getSpec(), table, Optional.of(policy), moves)
                .and(texts(load));
        DetectedKeys before = DetectedKeys.of(Optional.of(policy), names);
        if (!Clusters.observed(cluster) || Clusters.unfit(cluster).isPresent()) {
            return new FoundKeys(before, before);
        }
        Pins pins = Pins.of(policy.getSpec().hotKeys(), cluster.getSpec());
        PlanInputs inputs = Clusters.planInputs(cluster, table, Optional.of(policy.getSpec()), DetectedKeys.NONE);
        boolean held = pins.fault().isPresent() || planUnderWay(policy, moves);
        Detection detection = Detection.of(policy.getSpec().hotKeys(), cluster.getSpec());
        HotKeySight sight = new HotKeySight(
                detection.settings(),
                load,
                names::written,
                before.known(),
                pins.wanted(),
                new TreeMap<>(inputs.pinned()),
                inputs.owners(),
                inputs.shards(),
                held,
                now);
        return new FoundKeys(
                before, new DetectedKeys(HotKeyPlanner.next(sight), unread(before, detection, load, held)));
    }

    private static Collection<String> texts(LoadWindow load) {
        return load.shards().values().stream()
                .flatMap(shard -> shard.keys().keySet().stream())
                .toList();
    }

    /** A hash that nobody knows is kept while somebody may come who knows it: over a whole window everybody has spoken. */
    private static List<ShardPolicyStatus.HotKey> unread(
            DetectedKeys before, Detection detection, LoadWindow load, boolean held) {
        boolean stay = detection.settings().on() && (held || !load.covered());
        return stay ? before.unread() : List.of();
    }

    /** From its approval until its moves soak. What is wanted besides would void the approval, and nobody has asked for that. */
    private static boolean planUnderWay(ShardPolicy policy, List<BucketMove> moves) {
        String approved = policy.getSpec().rebalancing().approvedPlan();
        boolean waits = Optional.ofNullable(policy.getStatus())
                .map(ShardPolicyStatus::plan)
                .filter(plan -> plan.hash().equals(approved))
                .filter(plan -> Making.of(policy)
                        .filter(made -> made.hash().equals(approved))
                        .isEmpty())
                .isPresent();
        return waits
                || moves.stream()
                        .anyMatch(move -> isOfAPlan(move) && !MovePhases.hasEnded(move) && !MovePhases.soaks(move));
    }

    private static boolean isOfAPlan(BucketMove move) {
        return Optional.ofNullable(move.getMetadata().getLabels())
                .map(Map::keySet)
                .filter(labels -> labels.contains(Names.PLAN_LABEL))
                .isPresent();
    }
}
