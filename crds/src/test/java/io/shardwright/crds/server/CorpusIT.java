package io.shardwright.crds.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.shardwright.crds.Names;
import io.shardwright.servers.ControlPlane;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every file of the corpus on a real API server, as a person's {@code kubectl} would send it (strict fields). A refusal names
 * the field, tells what to do, and leaves no trace.
 */
@ExtendWith(InstalledApi.class)
class CorpusIT {
    private static final String NAMESPACE = "corpus";
    private static final Map<String, String> PLURALS = Map.of(
            "ShardCluster", "shardclusters",
            "ShardPolicy", "shardpolicies",
            "BucketMove", "bucketmoves",
            "RoutingTable", "routingtables");

    private static KubernetesClient client;

    @BeforeAll
    static void makeNamespace(ControlPlane plane) {
        client = plane.adminClient();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
    }

    @TestFactory
    Stream<DynamicTest> refusesWithPathAndAdviceAndStoresNothing() {
        return CorpusCase.all("invalid").map(file -> dynamicTest(file.name(), () -> refused(file)));
    }

    @TestFactory
    Stream<DynamicTest> acceptsAndStores() {
        return CorpusCase.all("valid").map(file -> dynamicTest(file.name(), () -> accepted(file)));
    }

    private static void refused(CorpusCase file) {
        Optional<GenericKubernetesResource> before = file.stored().map(CorpusIT::store);
        try {
            KubernetesClientException refusal =
                    catchThrowableOfType(KubernetesClientException.class, () -> attempt(file, before));

            assertThat(refusal).as("the server took it").isNotNull();
            assertThat(refusal.getCode()).as(refusal.getMessage()).isIn(400, 422);
            assertThat(refusal.getMessage())
                    .containsPattern(Pattern.quote(file.expect().orElseThrow()) + "[:\"]");
            assertThat(refusal.getMessage()).contains(file.words().orElseThrow());
            assertThat(resource(file.attempt()).get()).isEqualTo(before.orElse(null));
        } finally {
            before.ifPresent(stored -> resource(stored).delete());
        }
    }

    private static void accepted(CorpusCase file) {
        Optional<GenericKubernetesResource> before = file.stored().map(CorpusIT::store);
        try {
            GenericKubernetesResource stored = attempt(file, before);

            assertThat(resource(file.attempt()).get()).isEqualTo(stored);
        } finally {
            resource(file.attempt()).delete();
        }
    }

    private static GenericKubernetesResource attempt(CorpusCase file, Optional<GenericKubernetesResource> before) {
        before.ifPresent(stored -> file.attempt()
                .getMetadata()
                .setResourceVersion(stored.getMetadata().getResourceVersion()));
        Resource<GenericKubernetesResource> resource = resource(file.attempt());
        if (file.throughStatus()) {
            return resource.updateStatus();
        }
        return before.isPresent()
                ? resource.fieldValidation(Validation.STRICT).update()
                : resource.fieldValidation(Validation.STRICT).create();
    }

    /** Creates it, and writes its status when it has one. */
    private static GenericKubernetesResource store(GenericKubernetesResource document) {
        Object status = document.getAdditionalProperties().get("status");
        GenericKubernetesResource created = resource(document).create();
        if (status == null) {
            return created;
        }
        created.setAdditionalProperty("status", status);
        return resource(created).updateStatus();
    }

    private static Resource<GenericKubernetesResource> resource(GenericKubernetesResource object) {
        ResourceDefinitionContext kind = new ResourceDefinitionContext.Builder()
                .withGroup(Names.GROUP)
                .withVersion(Names.VERSION)
                .withKind(object.getKind())
                .withPlural(PLURALS.get(object.getKind()))
                .withNamespaced(true)
                .build();
        return client.genericKubernetesResources(kind).inNamespace(NAMESPACE).resource(object);
    }
}
