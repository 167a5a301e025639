package io.shardwright.stage.operator;

import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Kubectl;
import io.shardwright.stage.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Installs the shipped manifests with the real kubectl, as an administrator would. There is no node that would run the
 * Deployment; {@link OperatorProcess} plays its pods.
 */
public final class Installation {
    public static final String NAMESPACE = "shardwright-system";
    public static final String SERVICE_ACCOUNT = "shardwright-operator";

    private final Kubectl kubectl;
    private final Path manifests;

    public Installation(ControlPlane plane, Checkout checkout) {
        kubectl = plane.kubectl(plane.adminKubeconfig());
        manifests = checkout.manifests();
    }

    /** Kinds, roles, policies, the operator's namespace; done when the API server serves the kinds. */
    public void product() {
        kubectl.run("apply", "-k", manifests.resolve("base").toString()).orThrow();
        kubectl.run("wait", "--for=condition=Established", "--timeout=60s", "--all", "customresourcedefinitions")
                .orThrow();
    }

    /** The team's namespace, what the operator may read in it, the ServiceAccounts of the routers, the people's roles. */
    public void shop() {
        for (var example : new String[] {"namespace.yaml", "access.yaml", "routers.yaml"}) {
            kubectl.run(
                            "apply",
                            "-f",
                            manifests.resolve("examples/shop").resolve(example).toString())
                    .orThrow();
        }
        try (var people = Installation.class.getResourceAsStream("people.yaml")) {
            kubectl.runWithInput(new String(people.readAllBytes(), StandardCharsets.UTF_8), "apply", "-f", "-")
                    .orThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How the audit log names the operator. */
    public static String user() {
        return "system:serviceaccount:" + NAMESPACE + ":" + SERVICE_ACCOUNT;
    }
}
