package io.shardwright.plugin.api;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.plugin.Refusal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a command reads in one namespace. Every read asks the API server; whatever it refuses becomes a {@link Refusal}. */
public final class ClusterApi implements AutoCloseable {
    private static final int FORBIDDEN = 403;

    private final KubernetesClient client;
    private final String namespace;
    private final ApiRefusals refusals;

    ClusterApi(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
        this.refusals = new ApiRefusals(namespace, client.getMasterUrl().toString());
    }

    public String namespace() {
        return namespace;
    }

    /** The cluster of this name, or the only one that there is. */
    public ShardCluster cluster(Optional<String> name) {
        List<ShardCluster> all = list(ShardCluster.class, "ShardClusters");
        if (name.isPresent()) {
            return named(all, "ShardCluster", name.get());
        }
        if (all.size() == 1) {
            return all.getFirst();
        }
        throw all.isEmpty()
                ? new Refusal("there is no ShardCluster in namespace " + namespace, "look in another one with -n")
                : new Refusal(
                        "there are " + all.size() + " ShardClusters in namespace " + namespace,
                        "name one of them: " + names(all));
    }

    /** Empty when there is none of this name. */
    public Optional<ShardCluster> storedCluster(String name) {
        return list(ShardCluster.class, "ShardClusters").stream()
                .filter(cluster -> cluster.getMetadata().getName().equals(name))
                .findFirst();
    }

    public List<ShardCluster> clusters() {
        return list(ShardCluster.class, "ShardClusters");
    }

    public List<ShardPolicy> policies() {
        return list(ShardPolicy.class, "ShardPolicies");
    }

    public Optional<RoutingTable> table(String cluster) {
        return list(RoutingTable.class, "RoutingTables").stream()
                .filter(table -> table.getMetadata().getName().equals(cluster))
                .findFirst();
    }

    public List<BucketMove> moves() {
        return list(BucketMove.class, "BucketMoves");
    }

    public List<BucketMove> moves(String cluster) {
        return moves().stream()
                .filter(move -> move.getSpec().clusterRef().name().equals(cluster))
                .toList();
    }

    public BucketMove move(String name) {
        return named(moves(), "BucketMove", name);
    }

    /** Pods with all of these labels; empty when the user may not list pods, which none of the shipped roles allows. */
    public Optional<List<Pod>> pods(Map<String, String> labels) {
        try {
            return Optional.of(client.pods()
                    .inNamespace(namespace)
                    .withLabels(labels)
                    .list()
                    .getItems());
        } catch (KubernetesClientException e) {
            if (e.getCode() == FORBIDDEN) {
                return Optional.empty();
            }
            throw refusals.of(e, "list pods", ApiRefusals.Role.VIEWER);
        }
    }

    public MoveApi moveApi() {
        return new MoveApi(client, namespace, refusals);
    }

    private <T extends HasMetadata> List<T> list(Class<T> kind, String plural) {
        try {
            return client.resources(kind).inNamespace(namespace).list().getItems();
        } catch (KubernetesClientException e) {
            throw refusals.of(e, "list " + plural, ApiRefusals.Role.VIEWER);
        }
    }

    private <T extends HasMetadata> T named(List<T> all, String kind, String name) {
        return all.stream()
                .filter(one -> one.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new Refusal(
                        "there is no " + kind + " " + name + " in namespace " + namespace,
                        all.isEmpty()
                                ? "there is none at all; look in another namespace with -n"
                                : "there " + (all.size() == 1 ? "is: " : "are: ") + names(all)));
    }

    private static String names(Collection<? extends HasMetadata> all) {
        return String.join(
                ", ",
                all.stream().map(one -> one.getMetadata().getName()).sorted().toList());
    }

    @Override
    public void close() {
        client.close();
    }
}
