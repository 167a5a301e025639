package io.shardwright.plugin.server;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.plugin.Shop;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A real control plane with {@code manifests/base}, one namespace, and people with the shipped roles in it. */
final class Installed implements AutoCloseable {
    static final String NAMESPACE = "shop";

    final ControlPlane plane = ControlPlane.start();
    final KubernetesClient admin = plane.adminClient();

    Installed() {
        var kubectl = plane.kubectl(plane.adminKubeconfig());
        kubectl.run("apply", "-k", Path.of("..", "manifests", "base").toString())
                .orThrow();
        kubectl.run("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
                .orThrow();
        namespace(NAMESPACE);
    }

    void namespace(String name) {
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    /** The kubeconfig of somebody with this ClusterRole in the namespace; null = with none. */
    Path person(String name, String role) {
        Path kubeconfig = plane.kubeconfig(name, List.of());
        if (role != null) {
            admin.resource(new RoleBindingBuilder()
                            .withNewMetadata()
                            .withName(name)
                            .withNamespace(NAMESPACE)
                            .endMetadata()
                            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                            .addNewSubject("rbac.authorization.k8s.io", "User", name, null)
                            .build())
                    .create();
            Eventually.until(
                    "the role of " + name + " to be in force",
                    Duration.ofSeconds(30),
                    () -> plane.kubectl(kubeconfig, "-n", NAMESPACE, "get", "bucketmoves")
                                    .exitCode()
                            == 0,
                    () -> "still forbidden");
        }
        return kubeconfig;
    }

    /** Five shards, of which the last has no bucket yet, with what the operator would have said of it. */
    ShardCluster orders(Map<String, Integer> shards) {
        ShardCluster cluster = Shop.cluster(100, shards);
        var status = cluster.getStatus();
        cluster.getMetadata().setUid(null);
        ShardCluster stored = admin.resource(cluster).create();
        stored.setStatus(status);
        return admin.resource(stored).updateStatus();
    }

    RoutingTable table(RoutingTable table) {
        table.getMetadata().setGeneration(null);
        return admin.resource(table).create();
    }

    /** A move of this name, with that status. */
    BucketMove move(String name, String status) {
        BucketMove move = Shop.move("Run", status);
        var told = move.getStatus();
        move.getMetadata().setName(name);
        move.getMetadata().setUid(null);
        move.getMetadata().setCreationTimestamp(null);
        move.setStatus(null);
        BucketMove stored = admin.resource(move).create();
        stored.setStatus(told);
        return admin.resource(stored).updateStatus();
    }

    /** As the operator does it: with the generation that it has seen. */
    void phase(String name, String phase) {
        move(name).editStatus(move -> {
            BucketMove told = Shop.move(
                    "Run",
                    "{phase: %s, observedGeneration: %d}"
                            .formatted(phase, move.getMetadata().getGeneration()));
            move.setStatus(told.getStatus());
            return move;
        });
    }

    io.fabric8.kubernetes.client.dsl.Resource<BucketMove> move(String name) {
        return admin.resources(BucketMove.class).inNamespace(NAMESPACE).withName(name);
    }

    String intent(String name) {
        return move(name).get().getSpec().intent().wire();
    }

    @Override
    public void close() {
        plane.close();
    }
}
