package io.shardwright.servers;

import io.fabric8.kubernetes.api.model.authentication.BoundObjectReference;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A real Kubernetes control plane on loopback: etcd, kube-apiserver with TLS, RBAC, admission policies and an audit log, and
 * kube-controller-manager for garbage collection, namespaces and ServiceAccounts. No nodes, no kubelet: pods are objects.
 *
 * <p>Ready when {@link #start()} returns (2 to 3 s after the binaries are there; the first use builds them, minutes).
 */
public final class ControlPlane implements AutoCloseable {
    private static final Duration READY_LIMIT = Duration.ofSeconds(180);

    private final WorkDirectory directory = WorkDirectory.create("control-plane");
    private final CertificateAuthority authority = CertificateAuthority.create("stage");
    private final Path binaries = ControlPlaneBinaries.directory();
    private final String adminToken = UUID.randomUUID().toString();
    private final ControlPlaneProcesses processes =
            new ControlPlaneProcesses(binaries, directory.path(), authority, adminToken);
    private final Kubeconfigs kubeconfigs = new Kubeconfigs(directory.path(), processes.server(), authority);
    private final Path adminKubeconfig = kubeconfigs.forUser("admin", List.of("system:masters"));
    private KubernetesClient admin;
    private OwnedProcess etcd;
    private OwnedProcess apiServer;
    private OwnedProcess controllerManager;

    private ControlPlane() {}

    /** Starts everything and waits until the API server is ready and the default namespace has its ServiceAccount. */
    public static ControlPlane start() {
        var plane = new ControlPlane();
        try {
            plane.startAll();
            return plane;
        } catch (RuntimeException | Error e) {
            plane.close();
            throw e;
        }
    }

    private void startAll() {
        etcd = processes.etcd();
        apiServer = processes.apiServer();
        var config = new ConfigBuilder(Config.empty())
                .withMasterUrl(processes.server())
                .withCaCertData(Kubeconfigs.base64(authority.certificatePem()))
                .withOauthToken(adminToken)
                .withNamespace("default")
                .withRequestRetryBackoffLimit(0)
                .build();
        admin = new KubernetesClientBuilder().withConfig(config).build();
        awaitReady();
        controllerManager = processes.controllerManager(adminKubeconfig);
        Eventually.until(
                "the ServiceAccount default/default",
                READY_LIMIT,
                () -> alive(controllerManager) && serviceAccountExists(),
                this::evidence);
    }

    /** Waits until the API server says that it is ready; needed after {@link #restartApiServer()} only. */
    public void awaitReady() {
        Eventually.until("the API server to be ready", READY_LIMIT, () -> alive(apiServer) && ready(), this::evidence);
    }

    private boolean alive(OwnedProcess process) {
        if (!process.isAlive()) {
            throw new IllegalStateException(process.evidence());
        }
        return true;
    }

    private boolean ready() {
        try {
            return "ok".equals(admin.raw("/readyz"));
        } catch (KubernetesClientException e) {
            return false;
        }
    }

    private boolean serviceAccountExists() {
        return admin.serviceAccounts()
                        .inNamespace("default")
                        .withName("default")
                        .get()
                != null;
    }

    /** A client that may do everything; closed with the control plane. */
    public KubernetesClient adminClient() {
        return admin;
    }

    /** {@code https://127.0.0.1:port} */
    public String server() {
        return processes.server();
    }

    /** The authority that the API server's certificate and its client certificates come from. */
    public CertificateAuthority certificateAuthority() {
        return authority;
    }

    /** The kubeconfig of an administrator. */
    public Path adminKubeconfig() {
        return adminKubeconfig;
    }

    /** A kubeconfig for a person: RBAC sees this user in these groups. */
    public Path kubeconfig(String user, List<String> groups) {
        return kubeconfigs.forUser(user, groups);
    }

    /** A kubeconfig for a process that runs as this ServiceAccount; good for a day. */
    public Path serviceAccountKubeconfig(String namespace, String name) {
        var token = requestToken(
                namespace,
                name,
                new TokenRequestBuilder()
                        .withNewSpec()
                        .withExpirationSeconds(Duration.ofDays(1).toSeconds())
                        .endSpec()
                        .build());
        return kubeconfigs.forToken(namespace + "-" + name, token);
    }

    /**
     * A token of the ServiceAccount that is bound to a pod, as a kubelet would ask for it.
     *
     * @param boundPod the name of a pod of that namespace which runs as that ServiceAccount
     * @param seconds at least 600, which the API server insists on
     */
    public String token(
            String namespace, String serviceAccount, String boundPod, List<String> audiences, long seconds) {
        var pod = admin.pods().inNamespace(namespace).withName(boundPod).require();
        var reference = new BoundObjectReference(
                "v1", "Pod", boundPod, pod.getMetadata().getUid());
        return requestToken(
                namespace,
                serviceAccount,
                new TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences(audiences)
                        .withBoundObjectRef(reference)
                        .withExpirationSeconds(seconds)
                        .endSpec()
                        .build());
    }

    private String requestToken(String namespace, String serviceAccount, TokenRequest request) {
        return admin.serviceAccounts()
                .inNamespace(namespace)
                .withName(serviceAccount)
                .tokenRequest(request)
                .getStatus()
                .getToken();
    }

    /** The real kubectl as the owner of that kubeconfig. */
    public Kubectl kubectl(Path kubeconfig) {
        return new Kubectl(binaries.resolve("kubectl"), directory.path(), kubeconfig);
    }

    /** The real kubectl, once, as the owner of that kubeconfig. */
    public CommandResult kubectl(Path kubeconfig, String... arguments) {
        return kubectl(kubeconfig).run(arguments);
    }

    /** The directory of the binaries: what {@code KUBEBUILDER_ASSETS} would name. */
    public Path binaries() {
        return binaries;
    }

    public AuditLog auditLog() {
        return new AuditLog(processes.auditLog());
    }

    /** What etcd has, for tests that restore an older state. */
    public EtcdKeys etcdKeys() {
        return new EtcdKeys(processes.etcdUrl());
    }

    /** SIGSTOP: connections stay open and nothing is answered. */
    public void pauseApiServer() {
        apiServer.freeze();
    }

    public void resumeApiServer() {
        apiServer.thaw();
    }

    /** SIGKILL: connections are refused until {@link #restartApiServer()}. */
    public void killApiServer() {
        apiServer.kill();
    }

    /** Starts the API server again, with the same address and the same objects, and waits until it is ready. */
    public void restartApiServer() {
        if (apiServer.isAlive()) {
            apiServer.kill();
        }
        apiServer = processes.apiServer();
        awaitReady();
    }

    /** The processes that run now: what a leak check must not find afterwards. */
    public List<OwnedProcess> running() {
        return Stream.of(controllerManager, apiServer, etcd)
                .filter(process -> process != null && process.isAlive())
                .toList();
    }

    /** What a failed wait shows. */
    public String evidence() {
        var text = new StringBuilder();
        running().forEach(process -> text.append(process.evidence()).append('\n'));
        return text.toString();
    }

    /** SIGKILL to all, the API server before etcd: asked kindly after etcd is gone it would wait for minutes. */
    @Override
    public void close() {
        if (admin != null) {
            admin.close();
        }
        running().forEach(OwnedProcess::kill);
        directory.close();
    }
}
