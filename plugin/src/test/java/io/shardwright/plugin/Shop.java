package io.shardwright.plugin;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import java.util.Map;
import java.util.stream.Collectors;

/** Objects of one cluster as the API server has them. */
public final class Shop {
    public static final String MOVE = "orders-3f9a1c77-ds-0-ds-4";

    private Shop() {}

    /** @param shards names with their weights; a name that begins with ds-hot is Dedicated */
    public static ShardCluster cluster(int buckets, Map<String, Integer> shards) {
        return Serialization.unmarshal(clusterText(buckets, shards) + """
                status:
                  observedGeneration: 1
                  conditions:
                  - {type: Accepted, status: "True", reason: Accepted, message: "", lastTransitionTime: "2026-03-01T08:00:00Z"}
                  - {type: FenceInstalled, status: "True", reason: Installed, message: "", lastTransitionTime: "2026-03-01T08:00:00Z"}
                """, ShardCluster.class);
    }

    /** As a person writes it, without a status. */
    public static String clusterText(int buckets, Map<String, Integer> shards) {
        String list = shards.entrySet().stream()
                .map(shard ->
                        "  - {name: %1$s, weight: %2$d, role: %3$s, instances: [{name: a, host: %1$s, port: 5432}]}"
                                .formatted(
                                        shard.getKey(),
                                        shard.getValue(),
                                        shard.getKey().startsWith("ds-hot") ? "Dedicated" : "General"))
                .collect(Collectors.joining("\n"));
        return """
                apiVersion: shardwright.io/v1alpha1
                kind: ShardCluster
                metadata: {name: orders, namespace: shop, generation: 1, uid: cluster-1}
                spec:
                  engine: PostgreSQL
                  database: shop
                  sharding: {buckets: %d, hash: MD5, keyType: Int64, tables: [{name: orders, shardKey: tenant_id}]}
                  shards:
                %s
                  access: {operator: {secretRef: {name: orders-op}}, tls: {mode: Require}}
                  routers:
                  - {role: Worker, podSelector: {matchLabels: {app: orders-worker}}}
                  - {role: Web, podSelector: {matchLabels: {app: orders-web}}}
                """.formatted(buckets, list);
    }

    public static ShardPolicy policy(String mode, String approved) {
        return Serialization.unmarshal(policyText(mode, approved), ShardPolicy.class);
    }

    public static String policyText(String mode, String approved) {
        return """
                apiVersion: shardwright.io/v1alpha1
                kind: ShardPolicy
                metadata: {name: orders, namespace: shop, generation: 2, uid: policy-1, creationTimestamp: "2026-03-01T08:00:00Z"}
                spec: {clusterRef: {name: orders}, rebalancing: {mode: %s, approvedPlan: "%s"}}
                """.formatted(mode, approved);
    }

    /** @param more further fields of the spec, as YAML in one line each */
    public static RoutingTable table(String owners, int buckets, String... more) {
        String shards = java.util.Arrays.stream(owners.split(","))
                .map(run -> run.substring(0, run.lastIndexOf('*')))
                .distinct()
                .filter(name -> !name.equals("ds-hot"))
                .map("    %1$s: {role: General, primary: {host: %1$s-a.db, port: 5432}}"::formatted)
                .collect(Collectors.joining("\n"));
        return Serialization.unmarshal(
                """
                metadata: {name: orders, namespace: shop, generation: 7}
                spec:
                  revision: 42
                  incarnation: 1
                  writerEpoch: 3
                  cluster: orders
                  engine: PostgreSQL
                  buckets: %d
                  hash: MD5
                  keyType: Int64
                  bucketMap: %s
                  epochs: 1*%d
                  shards:
                %s
                    ds-hot: {role: Dedicated, primary: {host: ds-hot-a.db, port: 5432}}
                %s
                """.formatted(
                                buckets,
                                owners,
                                buckets,
                                shards,
                                String.join("\n", more).indent(2).stripTrailing()),
                RoutingTable.class);
    }

    /** A move of buckets 20 to 24 from ds-0 to ds-4. @param status as YAML in one line */
    public static BucketMove move(String intent, String status) {
        return Serialization.unmarshal("""
                apiVersion: shardwright.io/v1alpha1
                kind: BucketMove
                metadata:
                  name: %s
                  namespace: shop
                  generation: 3
                  uid: move-1
                  creationTimestamp: "2026-03-01T09:00:00Z"
                  labels: {shardwright.io/plan: 3f9a1c7700112233}
                spec: {clusterRef: {name: orders}, from: ds-0, to: ds-4, buckets: [20, 21, 22, 23, 24], intent: %s}
                status: %s
                """.formatted(MOVE, intent, status), BucketMove.class);
    }

    /** @param status as YAML in one line */
    public static RoutingTable acknowledged(RoutingTable table, String status) {
        table.setStatus(
                Serialization.unmarshal("status: " + status, RoutingTable.class).getStatus());
        return table;
    }
}
