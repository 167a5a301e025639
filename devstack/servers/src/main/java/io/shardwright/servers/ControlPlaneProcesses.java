package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The three processes of the control plane with their files and flags; each start uses the same ports and the same data. */
final class ControlPlaneProcesses {
    /** What tests and demo need: garbage collection, namespaces, ServiceAccounts and their tokens, roles made of roles. */
    private static final List<String> CONTROLLERS = List.of(
            "garbage-collector-controller",
            "clusterrole-aggregation-controller",
            "namespace-controller",
            "serviceaccount-controller",
            "serviceaccount-token-controller",
            "root-ca-certificate-publisher-controller");

    /** Everything, once, with its answer; bodies stay out because they hold tokens and passwords. */
    private static final String AUDIT_POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived]
            rules:
            - level: Metadata
            """;

    private final Path binaries;
    private final Path directory;
    private final int etcdPort = FreePorts.next();
    private final int etcdPeerPort = FreePorts.next();
    private final int apiPort = FreePorts.next();

    ControlPlaneProcesses(Path binaries, Path directory, CertificateAuthority authority, String adminToken) {
        this.binaries = binaries;
        this.directory = directory;
        var server = authority.server(
                List.of("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"),
                List.of("127.0.0.1"));
        var tokens = CertificateAuthority.newKeyPair();
        write("ca.crt", authority.certificatePem());
        write("apiserver.crt", server.certificatePem());
        write("apiserver.key", server.keyPem());
        write("tokens.key", tokens.privatePem());
        write("tokens.pub", tokens.publicPem());
        write("audit-policy.yaml", AUDIT_POLICY);
        write("tokens.csv", adminToken + ",stage-admin,stage-admin,\"system:masters\"\n");
        write("audit.log", "");
    }

    String server() {
        return "https://127.0.0.1:" + apiPort;
    }

    Path auditLog() {
        return directory.resolve("audit.log");
    }

    String etcdUrl() {
        return "http://127.0.0.1:" + etcdPort;
    }

    OwnedProcess etcd() {
        var client = etcdUrl();
        var peer = "http://127.0.0.1:" + etcdPeerPort;
        return start(
                "etcd",
                List.of(
                        "--name=stage",
                        "--data-dir=" + directory.resolve("etcd"),
                        "--listen-client-urls=" + client,
                        "--advertise-client-urls=" + client,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=stage=" + peer,
                        "--unsafe-no-fsync",
                        "--log-level=warn"));
    }

    OwnedProcess apiServer() {
        return start(
                "kube-apiserver",
                List.of(
                        "--etcd-servers=" + etcdUrl(),
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + apiPort,
                        "--advertise-address=192.0.2.1",
                        "--endpoint-reconciler-type=none",
                        "--service-cluster-ip-range=10.0.0.0/24",
                        "--authorization-mode=RBAC",
                        "--cert-dir=" + directory,
                        "--tls-cert-file=" + directory.resolve("apiserver.crt"),
                        "--tls-private-key-file=" + directory.resolve("apiserver.key"),
                        "--client-ca-file=" + directory.resolve("ca.crt"),
                        "--token-auth-file=" + directory.resolve("tokens.csv"),
                        "--service-account-issuer=https://kubernetes.default.svc",
                        "--service-account-key-file=" + directory.resolve("tokens.pub"),
                        "--service-account-signing-key-file=" + directory.resolve("tokens.key"),
                        "--audit-policy-file=" + directory.resolve("audit-policy.yaml"),
                        "--audit-log-path=" + auditLog(),
                        "--shutdown-delay-duration=0s"));
    }

    OwnedProcess controllerManager(Path kubeconfig) {
        return start(
                "kube-controller-manager",
                List.of(
                        "--kubeconfig=" + kubeconfig,
                        "--controllers=" + String.join(",", CONTROLLERS),
                        "--leader-elect=false",
                        "--secure-port=0",
                        "--service-account-private-key-file=" + directory.resolve("tokens.key"),
                        "--root-ca-file=" + directory.resolve("ca.crt")));
    }

    private OwnedProcess start(String component, List<String> flags) {
        var command = new ArrayList<String>();
        command.add(binaries.resolve(component).toString());
        command.addAll(flags);
        return OwnedProcess.named(component)
                .command(command)
                .directory(directory)
                .log(directory.resolve(component + ".log"))
                .environment("GOGC", "400") // these live for minutes and are many: memory is cheaper here than cores
                .endingSignal("KILL") // the API server waits for minutes when etcd goes first
                .start();
    }

    private void write(String name, String text) {
        try {
            Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
