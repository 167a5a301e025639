package io.shardwright.crds.server;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.crds.shardcluster.Access;
import io.shardwright.crds.shardcluster.Engine;
import io.shardwright.crds.shardcluster.RouterGroup;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardcluster.Sharding;
import io.shardwright.crds.shardpolicy.HotKeyDetection;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.crds.shardpolicy.ShardPolicySpec;
import java.util.List;
import java.util.Map;

/** One good object of each kind, made from the Java types. */
final class Samples {
    private Samples() {}

    static ShardCluster cluster(String namespace, String name) {
        ShardCluster cluster = new ShardCluster();
        cluster.setMetadata(meta(namespace, name));
        cluster.setSpec(new ShardClusterSpec(
                Engine.POSTGRESQL,
                "shop",
                new Sharding(
                        100,
                        Sharding.Hash.MD5,
                        Sharding.KeyType.INT64,
                        List.of(new Sharding.Table("orders", null, "tenant_id")),
                        List.of("currencies")),
                List.of(new Shard("ds-0", null, null, null, List.of(new Shard.Instance("a", "ds-0-a.db", 5432)))),
                new Access(
                        new Access.Login(new Access.SecretRef("orders-op")),
                        null,
                        new Access.Tls(Access.Tls.Mode.VERIFY_FULL, new Access.SecretRef("orders-ca"))),
                List.of(new RouterGroup(
                        RouterGroup.Role.WEB, new RouterGroup.PodSelector(Map.of("app", "orders-web")))),
                null));
        return cluster;
    }

    static ShardPolicy policy(String namespace, String name) {
        ShardPolicy policy = new ShardPolicy();
        policy.setMetadata(meta(namespace, name));
        policy.setSpec(ShardPolicySpec.defaults(new ClusterRef("orders")));
        return policy;
    }

    static ShardPolicy automatic(ShardPolicy policy) {
        return rebalancing(
                policy,
                Rebalancing.Mode.AUTOMATIC,
                policy.getSpec().rebalancing().approvedPlan());
    }

    /** Finds hot keys. */
    static ShardPolicy detecting(ShardPolicy policy, HotKeyDetection.Mode mode) {
        ShardPolicySpec now = policy.getSpec();
        policy.setSpec(new ShardPolicySpec(
                now.clusterRef(),
                now.rebalancing(),
                new HotKeys(null, null, new HotKeyDetection(mode, null, null, List.of("ds-hot"), null, null)),
                now.handoverTimeout(),
                now.windows(),
                now.freezes()));
        return policy;
    }

    static ShardPolicy approving(ShardPolicy policy, String hash) {
        return rebalancing(policy, policy.getSpec().rebalancing().mode(), hash);
    }

    private static ShardPolicy rebalancing(ShardPolicy policy, Rebalancing.Mode mode, String approved) {
        Rebalancing now = policy.getSpec().rebalancing();
        policy.setSpec(new ShardPolicySpec(
                policy.getSpec().clusterRef(),
                new Rebalancing(
                        mode,
                        now.tolerance(),
                        now.maxConcurrentMoves(),
                        now.writeHoldBudget(),
                        now.maxBytesPerSecond(),
                        now.pauseAboveLag(),
                        now.drainTimeout(),
                        now.pauseMax(),
                        now.soak(),
                        now.switchGroup(),
                        now.asyncStandby(),
                        approved),
                policy.getSpec().hotKeys(),
                policy.getSpec().handoverTimeout(),
                policy.getSpec().windows(),
                policy.getSpec().freezes()));
        return policy;
    }

    static BucketMove move(String namespace, String name) {
        BucketMove move = new BucketMove();
        move.setMetadata(meta(namespace, name));
        move.setSpec(new BucketMoveSpec(
                new ClusterRef("orders"), "ds-0", "ds-4", List.of(3, 17, 58), null, null, null, null));
        return move;
    }

    static RoutingTable table(String namespace, String name) {
        RoutingTable table = new RoutingTable();
        table.setMetadata(meta(namespace, name));
        table.setSpec(tableSpec(name, 1, "ds-0*100"));
        return table;
    }

    static RoutingTableSpec tableSpec(String cluster, long revision, String bucketMap) {
        var primary = new RoutingTableSpec.Endpoint("ds-0-a.db", 5432);
        var handover = new RoutingTableSpec.Handover(
                List.of(new RoutingTableSpec.BucketEpoch(3, 2L)), null, "ds-1", List.of("worker"));
        return new RoutingTableSpec(
                revision,
                1L,
                1L,
                cluster,
                "PostgreSQL",
                100,
                "MD5",
                "Int64",
                bucketMap,
                "1*100",
                Map.of("42", "ds-1"),
                List.of(handover),
                Map.of(
                        "ds-0", new RoutingTableSpec.Shard("General", primary),
                        "ds-1", new RoutingTableSpec.Shard("Dedicated", primary)));
    }

    private static ObjectMeta meta(String namespace, String name) {
        return new ObjectMetaBuilder().withNamespace(namespace).withName(name).build();
    }
}
