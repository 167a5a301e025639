package io.shardwright.crds.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.shardwright.crds.Acks;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableStatus;
import io.shardwright.crds.shardpolicy.HotKeyDetection;
import io.shardwright.crds.shardpolicy.Rebalancing;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who may write what, with the shipped roles and policies: people have their built-in verbs, the operator its own. */
@ExtendWith(InstalledApi.class)
class RolesIT {
    private static final String NAMESPACE = "roles";

    private static final String FINALIZED = "{\"metadata\": {\"finalizers\": [\"shardwright.io/move\"]}}";
    private static final String CLEANING_UP = "{\"status\": {\"phase\": \"CleaningUp\", \"pointOfNoReturn\": true}}";

    private static KubernetesClient admin;
    private static KubernetesClient operator;
    /** Every built-in verb on everything of ours, and none of our own verbs. */
    private static KubernetesClient developer;

    private static KubernetesClient user;
    private static KubernetesClient approver;
    private static KubernetesClient viewer;

    @BeforeAll
    static void meetEverybody(ControlPlane plane) {
        admin = plane.adminClient();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        admin.resource(everyBuiltInVerb()).create();
        operator = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(
                        plane.serviceAccountKubeconfig("shardwright-system", "shardwright-operator")
                                .toFile()))
                .build();
        developer = person(plane, "dora", "test-developer");
        user = person(plane, "ulf", "shardwright-operator-user");
        approver = person(plane, "ann", "shardwright-approver");
        viewer = person(plane, "vic", "shardwright-viewer");
        Eventually.until(
                "the roles and policies to be in force",
                Duration.ofSeconds(60),
                () -> refusesTables(developer) && sees(viewer),
                () -> "developer refused: " + refusesTables(developer) + ", viewer sees: " + sees(viewer));
    }

    @AfterAll
    static void closeClients() {
        List.of(operator, developer, user, approver, viewer).forEach(KubernetesClient::close);
    }

    @Test
    void aPersonWithEveryBuiltInVerbCanNeitherMakeNorChangeATable() {
        RoutingTable stored =
                operator.resource(Samples.table(NAMESPACE, "guarded")).create();

        forbidden(
                () -> developer
                        .resource(Samples.table(NAMESPACE, "made-by-hand"))
                        .create(),
                "written by the operator only",
                "dora",
                "BucketMove");
        forbidden(() -> developer.resource(Samples.table(NAMESPACE, "applied")).serverSideApply(), "publish");
        forbidden(() -> table(developer, "guarded").edit(RolesIT::nextRevision), "written by the operator only");
        forbidden(() -> table(developer, "guarded").editStatus(RolesIT::acknowledged), "written by the operator only");

        assertThat(table(admin, "guarded").get()).isEqualTo(stored);
        assertThat(table(admin, "made-by-hand").get()).isNull();
        assertThat(table(admin, "applied").get()).isNull();
    }

    @Test
    void theMetadataOfATableStaysOpenForOtherTools() {
        operator.resource(Samples.table(NAMESPACE, "labelled")).create();

        RoutingTable labelled = table(developer, "labelled").edit(table -> {
            table.getMetadata().setLabels(Map.of("backup", "daily"));
            return table;
        });

        assertThat(labelled.getMetadata().getLabels()).containsEntry("backup", "daily");
    }

    @Test
    void theOperatorPublishesTablesAndTheirStatus() {
        RoutingTable first =
                operator.resource(Samples.table(NAMESPACE, "published")).create();

        operator.resource(nextRevision(first)).update();
        table(operator, "published").editStatus(RolesIT::acknowledged);

        assertThat(table(admin, "published").get()).satisfies(table -> {
            assertThat(table.getSpec().revision()).isEqualTo(2);
            assertThat(table.getStatus().acked().total()).isEqualTo("2/2");
        });
    }

    @Test
    void theOperatorCannotTouchWhatBelongsToPeople() {
        admin.resource(Samples.cluster(NAMESPACE, "owned")).create();
        operator.resource(Samples.table(NAMESPACE, "kept")).create();

        forbidden(() -> operator.resource(Samples.cluster(NAMESPACE, "again")).create(), "shardclusters");
        forbidden(() -> operator.resource(Samples.cluster(NAMESPACE, "owned")).update(), "shardclusters");
        forbidden(() -> operator.resource(Samples.policy(NAMESPACE, "again")).create(), "shardpolicies");
        forbidden(() -> table(operator, "kept").delete(), "routingtables");
        forbidden(() -> operator.secrets().inNamespace(NAMESPACE).list(), "secrets");
        forbidden(
                () -> operator.secrets()
                        .inNamespace(NAMESPACE)
                        .withName("orders-op")
                        .get(),
                "secrets");
        forbidden(
                () -> operator.configMaps()
                        .inNamespace(NAMESPACE)
                        .withName("any")
                        .get(),
                "configmaps");
    }

    @Test
    void onlyAnApproverApprovesAPlan() {
        user.resource(Samples.policy(NAMESPACE, "orders")).create();

        forbidden(
                () -> policy(user).edit(policy -> Samples.approving(policy, "3f9a1c77")),
                "verb approve",
                "ulf",
                "shardwright-approver");
        assertThat(policy(admin).get().getSpec().rebalancing().approvedPlan()).isEmpty();

        policy(approver).edit(policy -> Samples.approving(policy, "3f9a1c77"));
        assertThat(policy(admin).get().getSpec().rebalancing().approvedPlan()).isEqualTo("3f9a1c77");

        forbidden(() -> policy(user).edit(policy -> Samples.approving(policy, "")), "verb approve");
        forbidden(
                () -> user.resource(Samples.approving(Samples.policy(NAMESPACE, "born-approved"), "3f9a1c77"))
                        .create(),
                "verb approve");
    }

    @Test
    void onlyAnApproverApprovesEveryPlanInAdvance() {
        user.resource(Samples.policy(NAMESPACE, "standing")).create();
        var standing = user.resources(ShardPolicy.class).inNamespace(NAMESPACE).withName("standing");

        forbidden(() -> standing.edit(Samples::automatic), "spec.rebalancing.mode", "verb approve", "ulf");
        forbidden(
                () -> user.resource(Samples.automatic(Samples.policy(NAMESPACE, "born-automatic")))
                        .create(),
                "verb approve");

        approver.resources(ShardPolicy.class)
                .inNamespace(NAMESPACE)
                .withName("standing")
                .edit(Samples::automatic);
        assertThat(standing.get().getSpec().rebalancing().mode()).isEqualTo(Rebalancing.Mode.AUTOMATIC);
        standing.edit(policy -> {
            policy.getMetadata().setLabels(java.util.Map.of("still", "editable"));
            return policy;
        });
    }

    @Test
    void onlyAnApproverApprovesEveryPlanOfHotKeysInAdvance() {
        user.resource(Samples.detecting(Samples.policy(NAMESPACE, "detecting"), HotKeyDetection.Mode.PROPOSE))
                .create();
        var detecting = user.resources(ShardPolicy.class).inNamespace(NAMESPACE).withName("detecting");

        forbidden(
                () -> detecting.edit(policy -> Samples.detecting(policy, HotKeyDetection.Mode.AUTOMATIC)),
                "spec.hotKeys.detection.mode",
                "verb approve",
                "ulf");
        forbidden(
                () -> user.resource(Samples.detecting(
                                Samples.policy(NAMESPACE, "born-detecting"), HotKeyDetection.Mode.AUTOMATIC))
                        .create(),
                "verb approve");

        approver.resources(ShardPolicy.class)
                .inNamespace(NAMESPACE)
                .withName("detecting")
                .edit(policy -> Samples.detecting(policy, HotKeyDetection.Mode.AUTOMATIC));
        assertThat(detecting.get().getSpec().hotKeys().detection().mode()).isEqualTo(HotKeyDetection.Mode.AUTOMATIC);
        detecting.edit(policy -> {
            policy.getMetadata().setLabels(java.util.Map.of("still", "editable"));
            return policy;
        });
    }

    @Test
    void aUserCreatesAndAbortsMovesAndAViewerOnlyLooks() {
        user.resource(Samples.move(NAMESPACE, "by-hand")).create();
        user.resource(Samples.move(NAMESPACE, "by-hand")).edit(move -> withIntent(move, Intent.ABORT));

        assertThat(viewer.resource(Samples.move(NAMESPACE, "by-hand"))
                        .get()
                        .getSpec()
                        .intent())
                .isEqualTo(Intent.ABORT);
        forbidden(() -> viewer.resource(Samples.move(NAMESPACE, "by-hand")).delete(), "bucketmoves");
        forbidden(() -> user.resource(Samples.table(NAMESPACE, "any")).delete(), "routingtables");
    }

    @Test
    void onlyAnApproverEndsTheTimeInWhichAMoveCanBeReversed() {
        user.resource(Samples.move(NAMESPACE, "soaking")).create();

        forbidden(
                () -> move(user, "soaking").edit(move -> withIntent(move, Intent.COMPLETE)),
                "verb complete",
                "ulf",
                "shardwright-approver");
        forbidden(
                () -> user.resource(withIntent(Samples.move(NAMESPACE, "born-complete"), Intent.COMPLETE))
                        .create(),
                "verb complete");
        forbidden(() -> move(developer, "soaking").edit(move -> withIntent(move, Intent.COMPLETE)), "verb complete");
        assertThat(move(admin, "soaking").get().getSpec().intent()).isEqualTo(Intent.RUN);

        move(approver, "soaking").edit(move -> withIntent(move, Intent.COMPLETE));
        assertThat(move(admin, "soaking").get().getSpec().intent()).isEqualTo(Intent.COMPLETE);
    }

    @Test
    void aCompletedMoveStaysOpenForThoseWhoMayNotComplete() {
        approver.resource(withIntent(
                        admin.resource(Samples.move(NAMESPACE, "completed")).create(), Intent.COMPLETE))
                .update();

        move(operator, "completed").patch(PatchContext.of(PatchType.JSON_MERGE), FINALIZED);
        move(operator, "completed").subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), CLEANING_UP);
        move(user, "completed").edit(move -> withIntent(move, Intent.PAUSE));

        assertThat(move(admin, "completed").get()).satisfies(move -> {
            assertThat(move.getFinalizers()).containsExactly("shardwright.io/move");
            assertThat(move.getStatus().phase()).isEqualTo("CleaningUp");
            assertThat(move.getSpec().intent()).isEqualTo(Intent.PAUSE);
        });
        forbidden(() -> move(user, "completed").edit(move -> withIntent(move, Intent.COMPLETE)), "verb complete");
    }

    @Test
    void theExampleOpensOneClustersSecretsToTheOperatorAndNoOthers(ControlPlane plane) {
        plane.kubectl(plane.adminKubeconfig())
                .run(
                        "apply",
                        "-k",
                        Path.of("..", "manifests", "examples", "shop").toString())
                .orThrow();
        var secrets = operator.secrets().inNamespace("shop");

        Eventually.until(
                "the example's Role to be in force",
                Duration.ofSeconds(30),
                () -> allowed(() -> secrets.withName("orders-op").get()),
                () -> "still forbidden");

        assertThatCode(() -> secrets.withName("orders-ca").get()).doesNotThrowAnyException();
        forbidden(() -> secrets.withName("other").get(), "secrets");
        forbidden(secrets::list, "secrets");
        forbidden(
                () -> operator.configMaps()
                        .inNamespace("shop")
                        .withName("other")
                        .get(),
                "configmaps");
    }

    private static Resource<RoutingTable> table(KubernetesClient client, String name) {
        return client.resources(RoutingTable.class).inNamespace(NAMESPACE).withName(name);
    }

    private static Resource<BucketMove> move(KubernetesClient client, String name) {
        return client.resources(BucketMove.class).inNamespace(NAMESPACE).withName(name);
    }

    private static BucketMove withIntent(BucketMove move, Intent intent) {
        move.setSpec(move.getSpec().withIntent(intent));
        return move;
    }

    private static Resource<ShardPolicy> policy(KubernetesClient client) {
        return client.resources(ShardPolicy.class).inNamespace(NAMESPACE).withName("orders");
    }

    private static RoutingTable nextRevision(RoutingTable table) {
        String name = table.getMetadata().getName();
        table.setSpec(Samples.tableSpec(name, table.getSpec().revision() + 1, "ds-0*99,ds-1*1"));
        return table;
    }

    private static RoutingTable acknowledged(RoutingTable table) {
        table.setStatus(new RoutingTableStatus(1L, Acks.of(1, 1, 1, 1), List.of()));
        return table;
    }

    private static void forbidden(ThrowingCallable call, String... words) {
        assertThatExceptionOfType(KubernetesClientException.class)
                .isThrownBy(call)
                .satisfies(refusal -> assertThat(refusal.getCode()).isEqualTo(403))
                .satisfies(refusal -> assertThat(refusal.getMessage()).contains(words));
    }

    private static boolean refusesTables(KubernetesClient client) {
        return !allowed(() -> client.resource(Samples.table(NAMESPACE, "tried"))
                        .dryRun()
                        .create())
                && allowed(() -> client.resources(RoutingTable.class)
                        .inNamespace(NAMESPACE)
                        .list());
    }

    private static boolean sees(KubernetesClient client) {
        return allowed(
                () -> client.resources(ShardPolicy.class).inNamespace(NAMESPACE).list());
    }

    private static boolean allowed(Runnable call) {
        try {
            call.run();
            return true;
        } catch (KubernetesClientException e) {
            assertThat(e.getCode()).isEqualTo(403);
            return false;
        }
    }

    private static HasMetadata everyBuiltInVerb() {
        return new ClusterRoleBuilder()
                .withNewMetadata()
                .withName("test-developer")
                .endMetadata()
                .addNewRule()
                .withApiGroups("shardwright.io")
                .withResources("*")
                .withVerbs("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
                .endRule()
                .build();
    }

    private static KubernetesClient person(ControlPlane plane, String name, String role) {
        admin.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName("test-" + name)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                        .addNewSubject("rbac.authorization.k8s.io", "Group", role + "s", null)
                        .build())
                .create();
        Config config = Config.fromKubeconfig(plane.adminKubeconfig().toFile());
        config.setImpersonateUsername(name);
        config.setImpersonateGroups(role + "s");
        return new KubernetesClientBuilder().withConfig(config).build();
    }
}
