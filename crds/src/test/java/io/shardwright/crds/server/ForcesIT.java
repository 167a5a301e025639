package io.shardwright.crds.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.shardwright.crds.Names;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may give up by an annotation what a move protects, with the shipped roles and policies. */
@ExtendWith(InstalledApi.class)
class ForcesIT {
    private static final String NAMESPACE = "forces";

    private static KubernetesClient admin;
    private static KubernetesClient operator;
    private static KubernetesClient user;
    private static KubernetesClient approver;

    @BeforeAll
    static void meetEverybody(ControlPlane plane) {
        admin = plane.adminClient();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        operator = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(
                        plane.serviceAccountKubeconfig("shardwright-system", "shardwright-operator")
                                .toFile()))
                .build();
        user = person(plane, "uma", "shardwright-operator-user");
        approver = person(plane, "abe", "shardwright-approver");
        admin.resource(Samples.move(NAMESPACE, "probe")).create();
        Eventually.until(
                "the roles and the policy to be in force",
                Duration.ofSeconds(60),
                () -> allowed(approver, "probe") && !allowed(user, "probe"),
                () -> "approver " + allowed(approver, "probe") + ", user " + allowed(user, "probe"));
    }

    @AfterAll
    static void closeClients() {
        List.of(operator, user, approver).forEach(KubernetesClient::close);
    }

    private static KubernetesClient person(ControlPlane plane, String name, String role) {
        admin.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName("forces-" + name)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                        .addNewSubject("rbac.authorization.k8s.io", "User", name, null)
                        .build())
                .create();
        Config config = Config.fromKubeconfig(plane.adminKubeconfig().toFile());
        config.setImpersonateUsername(name);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static BucketMove annotate(KubernetesClient client, String move, String annotation, String value) {
        String json = value == null ? "null" : "\"" + value + "\"";
        return patch(client, move, "{\"metadata\": {\"annotations\": {\"%s\": %s}}}".formatted(annotation, json));
    }

    private static BucketMove patch(KubernetesClient client, String move, String patch) {
        return client.resources(BucketMove.class)
                .inNamespace(NAMESPACE)
                .withName(move)
                .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    /** Changes the value at each call, so that the policy is asked. */
    private static boolean allowed(KubernetesClient client, String move) {
        try {
            annotate(client, move, Names.FORCE_REMOVE_ANNOTATION, "at " + System.nanoTime());
            return true;
        } catch (KubernetesClientException e) {
            assertThat(e.getCode()).isEqualTo(403);
            return false;
        }
    }

    private static void refused(Runnable call, String annotation) {
        assertThatExceptionOfType(KubernetesClientException.class)
                .isThrownBy(call::run)
                .satisfies(refusal -> assertThat(refusal.getCode()).isEqualTo(403))
                .satisfies(refusal -> assertThat(refusal.getMessage())
                        .contains(annotation, "verb force", "uma", "shardwright-approver"));
    }

    private static String name(String annotation, String kind) {
        return annotation.substring(annotation.lastIndexOf('-') + 1) + "-" + kind;
    }

    @ParameterizedTest
    @ValueSource(strings = {Names.FORCE_RECLAIM_ANNOTATION, Names.FORCE_REMOVE_ANNOTATION})
    void onlyAnApproverSetsOrChangesIt(String annotation) {
        String name = name(annotation, "set");
        user.resource(Samples.move(NAMESPACE, name)).create();

        refused(() -> annotate(user, name, annotation, "first"), annotation);
        annotate(approver, name, annotation, "first");
        refused(() -> annotate(user, name, annotation, "second"), annotation);

        assertThat(annotate(approver, name, annotation, "second").getMetadata().getAnnotations())
                .containsEntry(annotation, "second");
    }

    @ParameterizedTest
    @ValueSource(strings = {Names.FORCE_RECLAIM_ANNOTATION, Names.FORCE_REMOVE_ANNOTATION})
    void onlyAnApproverBringsItAlong(String annotation) {
        BucketMove born = Samples.move(NAMESPACE, name(annotation, "born"));
        born.getMetadata().setAnnotations(Map.of(annotation, "why"));

        refused(() -> user.resource(born).create(), annotation);
        assertThat(admin.resource(born).create().getMetadata().getAnnotations()).containsKey(annotation);
    }

    @Test
    void whoChangesSomethingElseIsNotAskedAndTakingItBackIsFree() {
        user.resource(Samples.move(NAMESPACE, "kept")).create();
        annotate(user, "kept", "team", "shop");
        annotate(approver, "kept", Names.FORCE_REMOVE_ANNOTATION, "the shard is gone");

        annotate(user, "kept", "team", "orders");
        patch(user, "kept", "{\"spec\": {\"intent\": \"Abort\"}}");
        annotate(approver, "kept", Names.FORCE_RECLAIM_ANNOTATION, "an id");
        BucketMove without = annotate(user, "kept", Names.FORCE_REMOVE_ANNOTATION, null);

        assertThat(without.getMetadata().getAnnotations())
                .doesNotContainKey(Names.FORCE_REMOVE_ANNOTATION)
                .containsEntry(Names.FORCE_RECLAIM_ANNOTATION, "an id");
    }

    @Test
    void theOperatorLetsGoWhatIsForcedAndForcesNothing() {
        user.resource(Samples.move(NAMESPACE, "going")).create();
        patch(operator, "going", "{\"metadata\": {\"finalizers\": [\"shardwright.io/move\"]}}");
        annotate(approver, "going", Names.FORCE_REMOVE_ANNOTATION, "why");

        assertThatExceptionOfType(KubernetesClientException.class)
                .isThrownBy(() -> annotate(operator, "going", Names.FORCE_RECLAIM_ANNOTATION, "an id"))
                .satisfies(refusal -> assertThat(refusal.getMessage()).contains("verb force"));
        user.resource(Samples.move(NAMESPACE, "going")).delete();
        patch(operator, "going", "{\"metadata\": {\"finalizers\": null}}");

        assertThat(admin.resource(Samples.move(NAMESPACE, "going")).get()).isNull();
    }
}
