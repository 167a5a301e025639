package io.shardwright.operator;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.shardwright.controllers.resources.TableResources;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableOrder;
import io.shardwright.servers.ControlPlane;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One real control plane for all tests of the module, with the manifests as they are shipped and nothing else. */
public final class Cluster implements AutoCloseable {
    static final String OPERATOR_NAMESPACE = "shardwright-system";
    private static final Path MANIFESTS = Path.of("..", "manifests");

    private final ControlPlane plane = ControlPlane.start();
    private final AtomicInteger namespaces = new AtomicInteger();
    private final Path operatorKubeconfig;

    /** Gives tests their cluster; it is started once and closed with the run. */
    public static final class Extension implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Cluster.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create(Cluster.class))
                    .computeIfAbsent(Cluster.class, any -> new Cluster(), Cluster.class);
        }
    }

    private Cluster() {
        plane.kubectl(
                        plane.adminKubeconfig(),
                        "apply",
                        "-k",
                        MANIFESTS.resolve("base").toString())
                .orThrow();
        operatorKubeconfig = plane.serviceAccountKubeconfig(OPERATOR_NAMESPACE, "shardwright-operator");
    }

    public ControlPlane plane() {
        return plane;
    }

    public KubernetesClient admin() {
        return plane.adminClient();
    }

    /** A kubeconfig of the shipped ServiceAccount. */
    Path operatorKubeconfig() {
        return operatorKubeconfig;
    }

    /** A namespace whose ServiceAccount {@code router} may read its routing tables, as in the shipped example. */
    String newNamespace() {
        String namespace = "shop-" + namespaces.incrementAndGet();
        kubectl("create", "namespace", namespace);
        kubectl("-n", namespace, "create", "serviceaccount", "router");
        kubectl(
                "-n",
                namespace,
                "create",
                "rolebinding",
                "routers",
                "--clusterrole=shardwright-router",
                "--serviceaccount=" + namespace + ":router");
        return namespace;
    }

    void kubectl(String... arguments) {
        plane.kubectl(plane.adminKubeconfig(), arguments).orThrow();
    }

    void apply(String yaml) {
        plane.kubectl(plane.adminKubeconfig())
                .runWithInput(yaml, "apply", "-f", "-")
                .orThrow();
    }

    /** A pod of a router, as an object; nobody schedules it. */
    Pod newPod(String namespace, String name) {
        return admin().pods()
                .inNamespace(namespace)
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withServiceAccountName("router")
                        .addNewContainer()
                        .withName("router")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    String token(Pod pod, String audience) {
        return plane.token(
                pod.getMetadata().getNamespace(), "router", pod.getMetadata().getName(), List.of(audience), 3600);
    }

    /** The first table of a cluster: ten buckets, all on ds-0. */
    static io.shardwright.routing.RoutingTable firstTable(String cluster) {
        return new io.shardwright.routing.RoutingTable(
                new TableOrder(1, 1, 1),
                1,
                cluster,
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, 10),
                RunLengthMap.filled(10, "ds-0"),
                RunLengthMap.filled(10, 1L),
                new TreeMap<>(),
                List.of(),
                new TreeMap<>(Map.of("ds-0", new ShardEntry(ShardRole.GENERAL, "ds-0.db", 5432))));
    }

    RoutingTable publish(String namespace, io.shardwright.routing.RoutingTable table) {
        RoutingTable object = new RoutingTable();
        object.getMetadata().setName(table.cluster());
        object.getMetadata().setNamespace(namespace);
        object.setSpec(TableResources.spec(table));
        RoutingTable stored = admin().resources(RoutingTable.class)
                .inNamespace(namespace)
                .withName(table.cluster())
                .get();
        if (stored == null) {
            return admin().resource(object).create();
        }
        object.getMetadata().setResourceVersion(stored.getMetadata().getResourceVersion());
        return admin().resource(object).update();
    }

    /** So that a test does not wait for a lease that an earlier one left behind. */
    void forgetLease() {
        admin().leases()
                .inNamespace(OPERATOR_NAMESPACE)
                .withName("shardwright-operator")
                .delete();
    }

    String leaseHolder() {
        var lease = admin().leases()
                .inNamespace(OPERATOR_NAMESPACE)
                .withName("shardwright-operator")
                .get();
        return lease == null ? "" : lease.getSpec().getHolderIdentity();
    }

    @Override
    public void close() {
        plane.close();
    }
}
