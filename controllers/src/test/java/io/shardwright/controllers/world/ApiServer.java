package io.shardwright.controllers.world;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.faults.ApiProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** One real control plane for all tests of the room, with the shipped kinds, roles and policies. */
public final class ApiServer {
    public static final String OPERATOR = "system:serviceaccount:shardwright-system:shardwright-operator";

    private static final int CALL_MILLIS = 3000;

    private static ApiServer instance;

    private final ControlPlane plane = ControlPlane.start();
    private final Path manifests = manifests();

    private ApiServer() {
        Runtime.getRuntime().addShutdownHook(new Thread(plane::close));
        apply(manifests.resolve("crds"), "kustomization.yaml");
        for (String file : List.of("namespace.yaml", "operator-roles.yaml", "people-roles.yaml", "policies.yaml")) {
            applyFile(manifests.resolve("base").resolve(file));
        }
        Eventually.until(
                "the kinds to be served",
                Duration.ofSeconds(30),
                () -> plane.adminClient().apiextensions().v1().customResourceDefinitions().list().getItems().stream()
                        .allMatch(crd -> crd.getStatus() != null
                                && crd.getStatus().getConditions() != null
                                && crd.getStatus().getConditions().stream()
                                        .anyMatch(
                                                condition -> condition.getType().equals("Established")
                                                        && condition.getStatus().equals("True"))),
                plane::evidence);
    }

    public static synchronized ApiServer get() {
        if (instance == null) {
            instance = new ApiServer();
        }
        return instance;
    }

    private static Path manifests() {
        Path here = Path.of("").toAbsolutePath();
        return Stream.iterate(here, path -> path != null, Path::getParent)
                .map(path -> path.resolve("manifests"))
                .filter(path -> Files.isDirectory(path.resolve("crds")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no manifests above " + here));
    }

    private void apply(Path directory, String but) {
        try (Stream<Path> files = Files.list(directory)) {
            files.filter(file -> !file.getFileName().toString().equals(but))
                    .sorted()
                    .forEach(this::applyFile);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void applyFile(Path file) {
        applyText(read(file));
    }

    public void applyText(String yaml) {
        admin().load(new java.io.ByteArrayInputStream(yaml.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .items()
                .forEach(item -> admin().resource(item).createOr(resource -> resource.update()));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public ControlPlane plane() {
        return plane;
    }

    public KubernetesClient admin() {
        return plane.adminClient();
    }

    /** A namespace with the Role that the example ships beside a ShardCluster, and its Secrets. */
    public void prepare(String namespace) {
        admin().resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create();
        applyText(read(manifests.resolve("examples/shop/access.yaml"))
                .replace("namespace: shop", "namespace: " + namespace));
        applyText("""
                apiVersion: v1
                kind: Secret
                metadata: {name: orders-op, namespace: %1$s}
                stringData: {username: shardwright_operator, password: canary-operator}
                ---
                apiVersion: v1
                kind: Secret
                metadata: {name: orders-mover, namespace: %1$s}
                stringData: {username: shardwright_mover, password: canary-mover}
                """.formatted(namespace));
    }

    /** A client with exactly the rights of the shipped ServiceAccount. */
    public KubernetesClient operatorClient() {
        return new KubernetesClientBuilder().withConfig(operatorConfig()).build();
    }

    /** The same through a proxy, with the patience that the process gives its client (application.properties). */
    public KubernetesClient operatorClient(ApiProxy proxy) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(operatorConfig())
                        .withMasterUrl(proxy.url())
                        .withOnlyHttpWatches(true)
                        .withRequestRetryBackoffLimit(1)
                        .withRequestTimeout(CALL_MILLIS)
                        .withConnectionTimeout(CALL_MILLIS)
                        .build())
                .build();
    }

    private synchronized Config operatorConfig() { // the kubeconfig is one file
        return Config.fromKubeconfig(
                read(plane.serviceAccountKubeconfig("shardwright-system", "shardwright-operator")));
    }
}
