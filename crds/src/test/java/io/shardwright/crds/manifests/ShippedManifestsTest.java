package io.shardwright.crds.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is installed, as it is written: a hardened container, and no right that nobody needs. */
class ShippedManifestsTest {
    private static final Path MANIFESTS = Path.of("..", "manifests");

    @Test
    void theOperatorRunsWithoutPrivilegesOnAReadOnlyFileSystemWithinLimits() {
        PodSpec pod = all("base/deployment.yaml", Deployment.class)
                .getFirst()
                .getSpec()
                .getTemplate()
                .getSpec();
        Container container = pod.getContainers().getFirst();

        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        assertThat(pod.getHostNetwork()).isNull();
        assertThat(container.getSecurityContext()).satisfies(context -> {
            assertThat(context.getReadOnlyRootFilesystem()).isTrue();
            assertThat(context.getAllowPrivilegeEscalation()).isFalse();
            assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
            assertThat(context.getCapabilities().getAdd()).isEmpty();
        });
        assertThat(container.getResources().getLimits()).containsKeys("cpu", "memory");
        assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
    }

    @Test
    void aDrainOfNodesTakesOneOfBothReplicasAtATime() {
        Deployment operator = all("base/deployment.yaml", Deployment.class).getFirst();
        PodDisruptionBudget budget =
                all("base/disruption.yaml", PodDisruptionBudget.class).getFirst();

        assertThat(operator.getSpec().getReplicas()).isEqualTo(2);
        assertThat(budget.getSpec().getMaxUnavailable().getIntVal()).isEqualTo(1);
        assertThat(budget.getSpec().getSelector()).isEqualTo(operator.getSpec().getSelector());
        assertThat(budget.getMetadata().getNamespace())
                .isEqualTo(operator.getMetadata().getNamespace());
        assertThat(text("base/kustomization.yaml")).contains("- disruption.yaml");
    }

    @Test
    void noRoleHasAWildcardOrAVerbThatMakesMoreRights() {
        assertThat(rules()).isNotEmpty().allSatisfy(rule -> {
            assertThat(rule.getApiGroups()).doesNotContain("*");
            assertThat(rule.getResources()).doesNotContain("*", "pods/exec", "serviceaccounts/token");
            assertThat(rule.getVerbs()).doesNotContain("*", "escalate", "bind", "impersonate", "deletecollection");
        });
    }

    @Test
    void secretsAreReadByNameInTheClustersNamespaceOnly() {
        List<PolicyRule> everywhere = all("base/operator-roles.yaml", ClusterRole.class).stream()
                .flatMap(role -> role.getRules().stream())
                .toList();
        List<PolicyRule> byName = all("examples/shop/access.yaml", Role.class).stream()
                .flatMap(role -> role.getRules().stream())
                .filter(rule -> rule.getResources().contains("secrets"))
                .toList();

        assertThat(everywhere)
                .isNotEmpty()
                .noneSatisfy(rule -> assertThat(rule.getResources()).contains("secrets"));
        assertThat(byName).singleElement().satisfies(rule -> {
            assertThat(rule.getResourceNames()).containsExactly("orders-op", "orders-mover", "orders-ca");
            assertThat(rule.getVerbs()).containsExactly("get");
        });
    }

    @Test
    void nobodyMayDeleteATable() {
        assertThat(rules().stream()
                        .filter(rule -> rule.getResources().contains("routingtables"))
                        .map(PolicyRule::getVerbs)
                        .flatMap(Collection::stream))
                .contains("publish")
                .doesNotContain("delete");
    }

    @Test
    void everyVerbOfTheOperatorHasItsReason() {
        assertThat(Stream.of("base/operator-roles.yaml", "examples/shop/access.yaml")
                        .flatMap(file -> text(file).lines())
                        .filter(line -> line.startsWith("  - ")))
                .hasSizeGreaterThan(20)
                .allSatisfy(line -> assertThat(line).matches("  - [a-z]+ # .{6,}"));
    }

    @Test
    void fiveShardsAreFourShardsAndOneMore() {
        ShardCluster four =
                all("examples/shop/four-shards.yaml", ShardCluster.class).getFirst();
        ShardCluster five =
                all("examples/shop/five-shards.yaml", ShardCluster.class).getFirst();

        assertThat(five.getMetadata()).isEqualTo(four.getMetadata());
        assertThat(five.getSpec().shards())
                .startsWith(four.getSpec().shards().toArray(Shard[]::new))
                .hasSize(5);
        assertThat(five.getSpec().sharding()).isEqualTo(four.getSpec().sharding());
    }

    /** Of what is made for a ShardCluster, README.md names everything that the removal of the kinds leaves in its namespace. */
    @Test
    void whatStaysInTheNamespaceAfterTheRemovalIsNamed() {
        String readme = text("../README.md");
        String removal =
                readme.substring(readme.indexOf("In the namespace stay"), readme.indexOf("When no application uses"));

        assertThat(Stream.of("examples/shop/access.yaml", "examples/shop/routers.yaml")
                        .flatMap(file -> Stream.of(text(file).split("(?m)^---$")))
                        .map(document -> Serialization.unmarshal(document, GenericKubernetesResource.class)
                                .getMetadata()
                                .getName()))
                .hasSize(5)
                .allSatisfy(name -> assertThat(removal).contains("`" + name + "`"));
        assertThat(all("examples/shop/access.yaml", Role.class).getFirst().getRules().stream()
                        .flatMap(rule -> rule.getResourceNames().stream()))
                .contains("orders-op", "orders-routing")
                .allSatisfy(name -> assertThat(removal).contains("`" + name + "`"));
    }

    private static List<PolicyRule> rules() {
        return Stream.of("base/operator-roles.yaml", "base/people-roles.yaml", "examples/shop/access.yaml")
                .flatMap(file -> Stream.concat(
                        all(file, ClusterRole.class).stream().flatMap(role -> role.getRules().stream()),
                        all(file, Role.class).stream().flatMap(role -> role.getRules().stream())))
                .toList();
    }

    private static <T extends HasMetadata> List<T> all(String file, Class<T> kind) {
        return Stream.of(text(file).split("(?m)^---$"))
                .filter(document -> Serialization.unmarshal(document, GenericKubernetesResource.class)
                        .getKind()
                        .equals(kind.getSimpleName()))
                .map(document -> Serialization.unmarshal(document, kind))
                .toList();
    }

    private static String text(String file) {
        try {
            return Files.readString(MANIFESTS.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
