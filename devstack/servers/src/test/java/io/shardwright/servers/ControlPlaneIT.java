package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ControlPlaneIT {
    private static ControlPlane plane;

    @BeforeAll
    static void startOnce() {
        plane = ControlPlane.start();
    }

    @AfterAll
    static void closeAndFindNothingLeft() {
        var processes = plane.running();
        var directory = plane.auditLog().file().getParent();

        plane.close();

        assertThat(processes).hasSize(3).noneMatch(OwnedProcess::isAlive);
        assertThat(directory).doesNotExist();
    }

    @Test
    void refusesAPersonWithoutARoleAndWritesItDown() {
        var nobody = plane.kubeconfig("nobody", List.of("guests"));

        var refused = plane.kubectl(nobody, "get", "configmaps");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("nobody", "configmaps", "forbidden");
        assertThat(plane.auditLog().forbidden("nobody"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.resource()).isEqualTo("configmaps"));
    }

    @Test
    void givesAPersonWhatHisGroupMayDo() {
        var admin = plane.kubectl(plane.adminKubeconfig());
        admin.run("create", "clusterrolebinding", "readers", "--clusterrole=view", "--group=readers")
                .orThrow();
        var ada = plane.kubectl(plane.kubeconfig("ada", List.of("readers"))); // the role "view" is made of other roles

        Eventually.until(
                "ada to see pods",
                Duration.ofSeconds(60),
                () -> ada.run("get", "pods").succeeded(),
                () -> ada.run("get", "pods").toString());
        assertThat(ada.run("create", "namespace", "hers").succeeded()).isFalse();
    }

    @Test
    void letsAProcessRunAsItsServiceAccount() {
        var admin = plane.kubectl(plane.adminKubeconfig());
        admin.run("create", "serviceaccount", "robot").orThrow();
        var robot = plane.serviceAccountKubeconfig("default", "robot");

        assertThat(plane.kubectl(robot, "auth", "whoami").orThrow()).contains("system:serviceaccount:default:robot");
    }

    @Test
    void bindsTokensToPodsAndVoidsThemWithThePod() {
        createPod("router", "bound");
        var token = plane.token("default", "bound", "router", List.of("shardwright.io"), 600);
        var unseen = plane.token("default", "bound", "router", List.of("shardwright.io"), 601); // not in any cache

        var review = review(token);
        assertThat(review.getAuthenticated()).isTrue();
        assertThat(review.getAudiences()).containsExactly("shardwright.io");
        assertThat(review.getUser().getExtra().get("authentication.kubernetes.io/pod-uid"))
                .containsExactly(plane.adminClient()
                        .pods()
                        .inNamespace("default")
                        .withName("router")
                        .get()
                        .getMetadata()
                        .getUid());

        plane.adminClient().pods().inNamespace("default").withName("router").delete();
        Eventually.until(
                "the token of a deleted pod to be refused",
                Duration.ofSeconds(30),
                () -> !Boolean.TRUE.equals(review(unseen).getAuthenticated()),
                () -> review(unseen).toString());
    }

    @Test
    void deletesWhatBelongsToANamespaceWithIt() {
        var admin = plane.kubectl(plane.adminKubeconfig());
        admin.run("create", "namespace", "short-lived").orThrow();
        admin.run("-n", "short-lived", "create", "configmap", "inside").orThrow();

        admin.run("delete", "namespace", "short-lived", "--timeout=60s").orThrow();

        assertThat(plane.adminClient()
                        .configMaps()
                        .inNamespace("short-lived")
                        .list()
                        .getItems())
                .isEmpty();
    }

    @Test
    void obeysValidatingAdmissionPolicies() {
        var admin = plane.kubectl(plane.adminKubeconfig());
        admin.runWithInput("""
                        apiVersion: admissionregistration.k8s.io/v1
                        kind: ValidatingAdmissionPolicy
                        metadata: {name: no-blue}
                        spec:
                          matchConstraints:
                            resourceRules:
                            - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
                          validations:
                          - expression: object.metadata.name != "blue"
                            message: blue is not a name for a config map here
                        ---
                        apiVersion: admissionregistration.k8s.io/v1
                        kind: ValidatingAdmissionPolicyBinding
                        metadata: {name: no-blue}
                        spec: {policyName: no-blue, validationActions: [Deny]}
                        """, "apply", "-f", "-").orThrow();

        Eventually.until(
                "the policy to be obeyed",
                Duration.ofSeconds(60),
                () -> admin.run("create", "configmap", "blue", "--dry-run=server")
                        .err()
                        .contains("blue is not a name"),
                () -> admin.run("create", "configmap", "blue", "--dry-run=server")
                        .toString());
    }

    @Test
    void keepsItsObjectsWhenTheApiServerIsKilledAndStartedAgain() {
        plane.kubectl(plane.adminKubeconfig(), "create", "configmap", "kept").orThrow();

        plane.killApiServer();
        assertThatThrownBy(() -> plane.adminClient()
                        .configMaps()
                        .inNamespace("default")
                        .withName("kept")
                        .get())
                .isInstanceOf(KubernetesClientException.class);
        plane.restartApiServer();

        assertThat(plane.adminClient()
                        .configMaps()
                        .inNamespace("default")
                        .withName("kept")
                        .get())
                .isNotNull();
    }

    private static void createPod(String name, String serviceAccount) {
        var account = new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(serviceAccount)
                .withNamespace("default")
                .endMetadata()
                .build();
        plane.adminClient().resource(account).create();
        var pod = new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withServiceAccountName(serviceAccount)
                .addNewContainer()
                .withName("c")
                .withImage("none")
                .endContainer()
                .endSpec()
                .build();
        plane.adminClient().resource(pod).create();
    }

    private static TokenReviewStatus review(String token) {
        var review = new TokenReviewBuilder()
                .withNewSpec()
                .withToken(token)
                .withAudiences("shardwright.io")
                .endSpec()
                .build();
        return plane.adminClient().resource(review).create().getStatus();
    }
}
