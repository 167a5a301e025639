package io.shardwright.controllers.routing;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.world.ApiServer;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** A watch that the operator has no right to, under a ServiceAccount of its own, whose Role somebody corrects later. */
class MirrorWatchIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<Optional<ConfigMap>> seen = new CopyOnWriteArrayList<>();
    private String namespace;
    private ResourceID orders;
    private KubernetesClient client;
    private Wire wire;
    private MirrorWatch watch;

    @BeforeEach
    void aWatchWithoutRights(TestInfo test) throws IOException {
        namespace = "mirror-" + Math.abs(test.getDisplayName().hashCode());
        orders = new ResourceID("orders", namespace);
        ApiServer.get()
                .admin()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create();
        copy().create();
        ApiServer.get().applyText("""
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: watcher, namespace: %1$s}
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: watcher, namespace: %1$s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: watcher}
                subjects: [{kind: ServiceAccount, name: watcher, namespace: %1$s}]
                """.formatted(namespace));
        Config config = Config.fromKubeconfig(
                Files.readString(ApiServer.get().plane().serviceAccountKubeconfig(namespace, "watcher")));
        URI server = URI.create(config.getMasterUrl());
        wire = new Wire(server.getPort());
        config.setMasterUrl("https://127.0.0.1:" + wire.door.getLocalPort());
        client = new KubernetesClientBuilder().withConfig(config).build();
        watch = new MirrorWatch(client, (cluster, copy) -> seen.add(Optional.ofNullable(copy)));
    }

    @AfterEach
    void end() throws IOException {
        watch.close();
        client.close();
        wire.close();
    }

    private Resource<ConfigMap> copy() {
        return ApiServer.get()
                .admin()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("orders-routing")
                        .withNamespace(namespace)
                        .endMetadata()
                        .withData(Map.of("table.json", "{}"))
                        .build());
    }

    private void mayDo(String verbs) {
        ApiServer.get().applyText("""
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata: {name: watcher, namespace: %s}
                rules:
                - {apiGroups: [""], resources: [configmaps], resourceNames: [orders-routing], verbs: [%s]}
                """.formatted(namespace, verbs));
    }

    private boolean mayGet() {
        try {
            return client.configMaps()
                            .inNamespace(namespace)
                            .withName("orders-routing")
                            .get()
                    != null;
        } catch (KubernetesClientException e) {
            return false;
        }
    }

    private long refused() {
        return ApiServer.get().plane().auditLog().forbidden("system:serviceaccount:" + namespace + ":watcher").stream()
                .filter(entry -> !entry.verb().equals("get"))
                .count();
    }

    private void watchUntilRefused() {
        watch.watch(orders);
        Eventually.until("the watch to be refused", LIMIT, () -> refused() > 0, seen::toString);
    }

    private void untilSeen(String what, Optional<String> last) {
        Eventually.until(
                what,
                LIMIT,
                () -> !seen.isEmpty()
                        && seen.getLast()
                                .map(copy -> copy.getData().get("table.json"))
                                .equals(last),
                seen::toString);
    }

    @Test
    void aRoleThatIsCorrectedIsAllItTakes() {
        mayDo("update");
        watchUntilRefused();

        mayDo("list, watch");

        untilSeen("the copy as it is", Optional.of("{}"));
    }

    @Test
    void aWatchThatRanAndIsRefusedComesBackWithItsRights() {
        mayDo("list, watch");
        watch.watch(orders);
        untilSeen("the copy as it is", Optional.of("{}"));
        mayDo("get");
        Eventually.until("the Role to be in force", LIMIT, this::mayGet, seen::toString);

        wire.cut();
        Eventually.until("the watch to be refused", LIMIT, () -> refused() > 0, seen::toString);
        mayDo("list, watch");
        change();

        untilSeen("the change", Optional.of("changed"));
    }

    @Test
    void aCopyThatWasDeletedMeanwhileIsToldToBeGone() {
        mayDo("update");
        watchUntilRefused();
        copy().delete();

        mayDo("list, watch");

        untilSeen("that the copy is gone", Optional.empty());
    }

    private void change() {
        ApiServer.get()
                .admin()
                .configMaps()
                .inNamespace(namespace)
                .withName("orders-routing")
                .edit(copy -> {
                    copy.setData(Map.of("table.json", "changed"));
                    return copy;
                });
    }

    /** Passes on what client and API server say, on a port of its own, until it is cut. */
    private static final class Wire implements AutoCloseable {
        private final int server;
        private final ServerSocket door;
        private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

        Wire(int server) throws IOException {
            this.server = server;
            this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(this::accept);
        }

        private void accept() {
            while (!door.isClosed()) {
                try {
                    Socket client = door.accept();
                    Socket api = new Socket(InetAddress.getLoopbackAddress(), server);
                    sockets.addAll(List.of(client, api));
                    Thread.ofVirtual().start(() -> pass(client, api));
                    Thread.ofVirtual().start(() -> pass(api, client));
                } catch (IOException closed) {
                    return;
                }
            }
        }

        private static void pass(Socket from, Socket to) {
            try (from;
                    to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException cut) {
                return;
            }
        }

        /** Every connection ends, and new ones may begin. */
        void cut() {
            sockets.forEach(socket -> {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            sockets.clear();
        }

        @Override
        public void close() throws IOException {
            door.close();
            cut();
        }
    }
}
