package io.shardwright.plugin.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.controllers.shardpolicy.OperatorsPlan;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.Shop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything that only looks, as somebody with the role shardwright-viewer in one namespace types it. */
class LookingIT {
    private static Installed api;
    private static Path viewer;
    private static Path nobody;
    private static ShardCluster cluster;
    private static RoutingTable table;
    private static ShardPolicy policy;

    @BeforeAll
    static void install() {
        api = new Installed();
        viewer = api.person("vic", "shardwright-viewer");
        nobody = api.person("nora", null);
        cluster = api.orders(new TreeMap<>(Map.of("ds-0", 100, "ds-1", 100, "ds-2", 100, "ds-3", 100, "ds-4", 100)));
        table = api.table(Shop.table("ds-0*25,ds-1*25,ds-2*25,ds-3*25", 100));
        ShardPolicy written = Shop.policy("Propose", "");
        written.getMetadata().setUid(null);
        policy = api.admin.resource(written).create();
        api.move(Shop.MOVE, "{phase: Blocked, nextAction: end session 4711 on ds-0}");
    }

    @AfterAll
    static void uninstall() {
        api.close();
    }

    @Test
    void aViewerSeesThePlanThatTheOperatorComputesForTheStoredObjects() {
        var operators = OperatorsPlan.of(cluster, policy, table).orElseThrow();

        Typed typed = Typed.by(viewer, "plan", "orders");

        assertThat(typed).returns(ExitCode.DONE, Typed::exitCode).returns("", Typed::err);
        assertThat(typed.out()).contains("plan " + operators.hash(), "20 of 100 buckets move");
        ObjectNode yaml =
                Serialization.unmarshal(Typed.by(viewer, "plan", "-o", "yaml").out(), ObjectNode.class);
        assertThat(yaml.get("hash").asText()).isEqualTo(operators.hash());
    }

    @Test
    void aViewerPlansAFileAndNothingIsWritten(@TempDir Path directory) throws Exception {
        Map<String, Integer> drained =
                new TreeMap<>(Map.of("ds-0", 0, "ds-1", 100, "ds-2", 100, "ds-3", 100, "ds-4", 100));
        String text = Shop.clusterText(100, drained);
        Path file = Files.writeString(directory.resolve("drained.yaml"), text);

        Typed ofFile = Typed.by(viewer, "plan", "-f", file.toString());
        Typed piped = Typed.withInput(text, viewer, "plan", "-f", "-");

        assertThat(ofFile.exitCode()).as(ofFile.err()).isEqualTo(ExitCode.DONE);
        assertThat(ofFile.out()).contains("ds-0 holds 25 buckets and is drained (weight 0)");
        assertThat(piped).isEqualTo(ofFile);
        assertThat(api.admin.resource(cluster).get().getSpec()).isEqualTo(cluster.getSpec());
        assertThat(api.plane.auditLog().entries())
                .filteredOn(entry -> entry.user().equals("vic"))
                .extracting(entry -> entry.verb())
                .isSubsetOf("get", "list");
    }

    @Test
    void aKeyIsExplainedFromTheStoredTable() {
        assertThat(Typed.by(viewer, "explain", "42"))
                .returns(ExitCode.DONE, Typed::exitCode)
                .extracting(Typed::out)
                .asString()
                .contains("84 of 100", "ds-3 (ds-3-a.db:5432)", "revision 42, incarnation 1");
        assertThat(Typed.by(viewer, "explain", "--", "-42").out()).contains("-42 (Int64)");
    }

    @Test
    void movesAreListedWithWhatIsToBeDone() {
        assertThat(Typed.by(viewer, "moves", "orders"))
                .returns(ExitCode.DONE, Typed::exitCode)
                .extracting(Typed::out)
                .asString()
                .contains(Shop.MOVE, "20-24", "Blocked", "next: end session 4711 on ds-0");
    }

    @Test
    void acknowledgementsAreThoseThatTheOperatorHasSaid() {
        Shop.acknowledged(
                table,
                "{observedGeneration: 1, acked: {worker: 1/1, web: 0/1, total: 1/2},"
                        + " missing: [{name: orders-web-7 (web), reason: \"is at revision 41 of 42: wait\"}]}");
        api.admin.resource(table).updateStatus();
        api.admin
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(Installed.NAMESPACE)
                        .withName("orders-worker-1")
                        .addToLabels("app", "orders-worker")
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("app")
                        .withImage("app")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        api.admin
                .pods()
                .inNamespace(Installed.NAMESPACE)
                .withName("orders-worker-1")
                .editStatus(pod -> {
                    pod.getStatus().setPhase("Running");
                    return pod;
                });

        Typed looked = Typed.by(viewer, "acks", "orders");
        Typed administrator = Typed.by(api.plane.adminKubeconfig(), "acks", "orders");

        assertThat(looked.out())
                .contains("orders-web-7 (web)", "is at revision 41 of 42", "that needs the right to list pods");
        assertThat(administrator.out()).containsPattern("orders-worker-1 +worker +acknowledged");
    }

    @Test
    void aWrongNameListsTheNamesThatThereAre() {
        assertThat(Typed.by(viewer, "plan", "odrers"))
                .returns(ExitCode.REFUSED, Typed::exitCode)
                .extracting(Typed::err)
                .asString()
                .contains("there is no ShardCluster odrers in namespace shop", "there is: orders");
        assertThat(Typed.by(viewer, "pause", "first").err())
                .contains("there is no BucketMove first in namespace shop", "there is: " + Shop.MOVE);
    }

    @Test
    void whoHasNoRoleIsToldWhichOneIsMissing() {
        assertThat(Typed.by(nobody, "plan"))
                .returns(ExitCode.REFUSED, Typed::exitCode)
                .extracting(Typed::err)
                .asString()
                .contains(
                        "you may not list ShardClusters in namespace shop: the role shardwright-viewer is missing",
                        "nora",
                        "kubectl -n shop create rolebinding <name> --clusterrole=shardwright-viewer");
    }

    @Test
    void aContextThatIsNotThereIsRefusedAndNoOtherIsTaken() {
        assertThat(Typed.by(viewer, "moves", "--context", "production"))
                .returns(ExitCode.USAGE, Typed::exitCode)
                .extracting(Typed::err)
                .asString()
                .contains("the kubeconfig has no context production", "there are: stage");
        assertThat(Typed.by(viewer, "moves", "--context", "stage").exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void aServerThatDoesNotAnswerIsNamed(@TempDir Path directory) throws Exception {
        String text = Files.readString(viewer);
        Path elsewhere = Files.writeString(
                directory.resolve("kubeconfig"), text.replace(api.plane.server(), "https://127.0.0.1:1"));

        assertThat(Typed.by(elsewhere, "moves"))
                .returns(ExitCode.REFUSED, Typed::exitCode)
                .extracting(Typed::err)
                .asString()
                .contains("no answer from the API server at https://127.0.0.1:1");
    }
}
