package io.shardwright.controllers.world;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.servers.EtcdKeys;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The objects of one shop in one namespace: cluster, policy, pods; and what their statuses say. */
public final class Shop {
    private final ApiServer server;
    private final String namespace;

    public Shop(ApiServer server, String namespace) {
        this.server = server;
        this.namespace = namespace;
        server.prepare(namespace);
    }

    private KubernetesClient admin() {
        return server.admin();
    }

    public String namespace() {
        return namespace;
    }

    /** Creates or updates the ShardCluster orders with so many shards and buckets. */
    public void cluster(int shards, int buckets) {
        cluster(shards, 0, buckets);
    }

    /** @param dedicated how many Dedicated shards follow the General ones */
    public void cluster(int general, int dedicated, int buckets) {
        String list = IntStream.range(0, general + dedicated)
                .mapToObj(i -> "  - {name: ds-%1$d, role: %2$s, instances: [{name: a, host: ds-%1$d, port: 5432}]}"
                        .formatted(i, i < general ? "General" : "Dedicated"))
                .collect(Collectors.joining("\n"));
        server.applyText("""
                apiVersion: shardwright.io/v1alpha1
                kind: ShardCluster
                metadata: {name: orders, namespace: %s}
                spec:
                  engine: PostgreSQL
                  database: shop
                  sharding:
                    buckets: %d
                    hash: MD5
                    keyType: Int64
                    tables:
                    - {name: orders, shardKey: tenant_id}
                  shards:
                %s
                  access:
                    operator: {secretRef: {name: orders-op}}
                    mover: {secretRef: {name: orders-mover}}
                    tls: {mode: Disable}
                  routers:
                  - {role: Worker, podSelector: {matchLabels: {app: orders-worker}}}
                  - {role: Web, podSelector: {matchLabels: {app: orders-web}}}
                """.formatted(namespace, buckets, list));
    }

    public void policy(String name, String mode, String approvedPlan) {
        policy(name, mode, approvedPlan, "");
    }

    /** @param times windows and freezes as in a spec, on one line */
    public void policy(String name, String mode, String approvedPlan, String times) {
        server.applyText("""
                apiVersion: shardwright.io/v1alpha1
                kind: ShardPolicy
                metadata: {name: %s, namespace: %s}
                spec:
                  clusterRef: {name: orders}
                  handoverTimeout: 1s
                  rebalancing: {mode: %s, maxConcurrentMoves: 4, soak: 0s, approvedPlan: "%s"}
                  %s
                """.formatted(name, namespace, mode, approvedPlan, times));
    }

    public void policySoak(String name, String soak) {
        admin().resources(ShardPolicy.class)
                .inNamespace(namespace)
                .withName(name)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\": {\"rebalancing\": {\"soak\": \"%s\"}}}".formatted(soak));
    }

    /** A move that is cleaned up as soon as every router knows of it. */
    public void move(String name, String from, String to, Integer... buckets) {
        reversibleMove(name, "0s", from, to, buckets);
    }

    public void reversibleMove(String name, String soak, String from, String to, Integer... buckets) {
        apply(name, ", soak: " + soak, from, to, buckets);
    }

    /** A move that soaks as long as the policy says. */
    public void moveByPolicy(String name, String from, String to, Integer... buckets) {
        apply(name, "", from, to, buckets);
    }

    private void apply(String name, String more, String from, String to, Integer... buckets) {
        server.applyText("""
                apiVersion: shardwright.io/v1alpha1
                kind: BucketMove
                metadata: {name: %s, namespace: %s}
                spec: {clusterRef: {name: orders}, from: %s, to: %s, buckets: %s%s}
                """.formatted(name, namespace, from, to, List.of(buckets), more));
    }

    /** A pod that runs; returns its UID. */
    public String pod(String name, String app) {
        var pod = admin().resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .withLabels(Map.of("app", app))
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("router")
                        .withImage("router")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        pod.setStatus(new io.fabric8.kubernetes.api.model.PodStatusBuilder()
                .withPhase("Running")
                .build());
        admin().resource(pod).updateStatus();
        return pod.getMetadata().getUid();
    }

    public String podUid(String name) {
        return admin().pods()
                .inNamespace(namespace)
                .withName(name)
                .require()
                .getMetadata()
                .getUid();
    }

    public void deleteCluster() {
        admin().resources(ShardCluster.class)
                .inNamespace(namespace)
                .withName("orders")
                .delete();
    }

    public void deleteTable() {
        admin().resources(RoutingTable.class)
                .inNamespace(namespace)
                .withName("orders")
                .delete();
    }

    /** The table as etcd has it now; running what comes back puts it there again, as a restored backup does. */
    public Runnable backupOfTable() {
        EtcdKeys etcd = server.plane().etcdKeys();
        String key = "/registry/shardwright.io/routingtables/" + namespace + "/orders";
        String value = etcd.get(key);
        return () -> etcd.put(key, value);
    }

    public void deletePod(String name) {
        admin().pods().inNamespace(namespace).withName(name).withGracePeriod(0).delete();
    }

    public void deleteSecret(String name) {
        admin().secrets().inNamespace(namespace).withName(name).delete();
    }

    public void secret(String name) {
        server.applyText("""
                apiVersion: v1
                kind: Secret
                metadata: {name: %s, namespace: %s}
                stringData: {username: shardwright_mover, password: canary-mover}
                """.formatted(name, namespace));
    }

    /** Changes the weight of one shard, and nothing else. */
    public void weight(String shard, int weight) {
        int index = cluster().getSpec().shards().stream()
                .map(one -> one.name())
                .toList()
                .indexOf(shard);
        admin().resources(ShardCluster.class)
                .inNamespace(namespace)
                .withName("orders")
                .patch(
                        PatchContext.of(PatchType.JSON),
                        "[{\"op\": \"replace\", \"path\": \"/spec/shards/%d/weight\", \"value\": %d}]"
                                .formatted(index, weight));
    }

    public void delete(String move) {
        admin().resources(BucketMove.class)
                .inNamespace(namespace)
                .withName(move)
                .delete();
    }

    public void abort(String move) {
        intent(move, "Abort");
    }

    public void intent(String move, String intent) {
        admin().resources(BucketMove.class)
                .inNamespace(namespace)
                .withName(move)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"intent\": \"%s\"}}".formatted(intent));
    }

    public void annotate(String move, String annotation, String value) {
        admin().resources(BucketMove.class)
                .inNamespace(namespace)
                .withName(move)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\": {\"annotations\": {\"%s\": \"%s\"}}}".formatted(annotation, value));
    }

    /** Has every object of the shop looked at again, and changes nothing that they say. */
    public void touch() {
        String now = "{\"metadata\": {\"annotations\": {\"test/touched\": \"%d\"}}}".formatted(System.nanoTime());
        Stream.of(ShardCluster.class, ShardPolicy.class, BucketMove.class)
                .flatMap(kind -> admin().resources(kind).inNamespace(namespace).list().getItems().stream())
                .forEach(one -> admin().resource(one).patch(PatchContext.of(PatchType.JSON_MERGE), now));
    }

    public ShardCluster cluster() {
        return admin().resources(ShardCluster.class)
                .inNamespace(namespace)
                .withName("orders")
                .get();
    }

    public ShardPolicy policy(String name) {
        return admin().resources(ShardPolicy.class)
                .inNamespace(namespace)
                .withName(name)
                .get();
    }

    public List<BucketMove> moves() {
        return admin().resources(BucketMove.class).inNamespace(namespace).list().getItems();
    }

    public Optional<BucketMove> move(String name) {
        return Optional.ofNullable(admin().resources(BucketMove.class)
                .inNamespace(namespace)
                .withName(name)
                .get());
    }

    public Optional<RoutingTable> table() {
        return Optional.ofNullable(admin().resources(RoutingTable.class)
                .inNamespace(namespace)
                .withName("orders")
                .get());
    }

    public Optional<Condition> clusterCondition(ConditionType type) {
        return Optional.ofNullable(cluster())
                .map(ShardCluster::getStatus)
                .flatMap(status -> Conditions.find(status.conditions(), type));
    }

    public Optional<Condition> policyCondition(String name, ConditionType type) {
        return Optional.ofNullable(policy(name))
                .map(ShardPolicy::getStatus)
                .flatMap(status -> Conditions.find(status.conditions(), type));
    }

    public Optional<Condition> moveCondition(String move, ConditionType type) {
        return move(move).map(BucketMove::getStatus).flatMap(status -> Conditions.find(status.conditions(), type));
    }

    public String phase(String move) {
        return move(move)
                .map(BucketMove::getStatus)
                .map(status -> status.phase())
                .orElse("none");
    }

    public List<String> events(String reason) {
        return admin().v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> event.getReason().equals(reason))
                .map(event -> event.getInvolvedObject().getName() + ": " + event.getMessage())
                .toList();
    }

    /** Leaves nothing for the next test's controllers; what they still hold is let go. */
    public void clear() {
        admin().resources(ShardPolicy.class).inNamespace(namespace).delete();
        moves().forEach(move -> {
            admin().resource(move)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"finalizers\": null}}");
            admin().resource(move).delete();
        });
        Optional.ofNullable(cluster()).ifPresent(cluster -> {
            admin().resource(cluster)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"finalizers\": null}}");
            admin().resource(cluster).delete();
        });
        admin().resources(RoutingTable.class).inNamespace(namespace).delete();
        admin().pods().inNamespace(namespace).withGracePeriod(0).delete();
    }

    /** Everything that a failed wait should show. */
    public String evidence() {
        StringBuilder text = new StringBuilder();
        Optional.ofNullable(cluster())
                .ifPresent(cluster -> text.append(cluster.getStatus()).append('\n'));
        admin().resources(ShardPolicy.class)
                .inNamespace(namespace)
                .list()
                .getItems()
                .forEach(policy -> text.append(policy.getStatus()).append('\n'));
        moves().forEach(move -> text.append(move.getMetadata().getName())
                .append(' ')
                .append(move.getStatus())
                .append('\n'));
        table().ifPresent(table -> text.append(table.getSpec()).append('\n'));
        return text.toString();
    }
}
