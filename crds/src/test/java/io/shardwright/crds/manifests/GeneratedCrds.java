package io.shardwright.crds.manifests;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.CustomResource;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The custom resource definitions as the Java types give them now, in the form that is committed. */
final class GeneratedCrds {
    private static final List<Class<? extends CustomResource<?, ?>>> KINDS =
            List.of(ShardCluster.class, ShardPolicy.class, BucketMove.class, RoutingTable.class);

    private static final String HEADER =
            "# Generated from the Java types in crds/ (see CONTRIBUTING.md); edits are lost.\n";

    /** Quotes what YAML 1.1 would take for something else than text: True in an enum is a boolean to the API server. */
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES, YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER, YAMLGenerator.Feature.SPLIT_LINES)
            .build();

    private GeneratedCrds() {}

    /** The definitions as trees, sorted by file name. */
    static SortedMap<String, JsonNode> trees() {
        SortedMap<String, JsonNode> trees = new TreeMap<>();
        for (CustomResourceDefinition crd : definitions()) {
            trees.put(crd.getSpec().getNames().getPlural() + ".yaml", wholeNumbers(YAML.valueToTree(crd)));
        }
        return trees;
    }

    /** The definitions as text, sorted by file name. */
    static SortedMap<String, String> texts() {
        SortedMap<String, String> texts = new TreeMap<>();
        trees().forEach((file, tree) -> texts.put(file, HEADER + text(tree)));
        return texts;
    }

    private static String text(JsonNode tree) {
        try {
            return YAML.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<CustomResourceDefinition> definitions() {
        List<CustomResourceDefinition> definitions = new ArrayList<>();
        new CRDGenerator()
                .customResourceClasses(List.copyOf(KINDS))
                .forCRDVersions("v1")
                .withPostProcessor(new CRDPostProcessor() {
                    @Override
                    public HasMetadata process(HasMetadata generated, String crdVersion) {
                        definitions.add(inDeclaredOrder((CustomResourceDefinition) generated));
                        return generated;
                    }
                })
                .withOutput(new Nowhere())
                .generate();
        return definitions;
    }

    /** The generator sorts columns by path; people read them in the order in which they are declared. */
    private static CustomResourceDefinition inDeclaredOrder(CustomResourceDefinition crd) {
        List<String> names = KINDS.stream()
                .filter(kind ->
                        CustomResource.getCRDName(kind).equals(crd.getMetadata().getName()))
                .flatMap(kind -> Arrays.stream(kind.getAnnotationsByType(AdditionalPrinterColumn.class)))
                .map(AdditionalPrinterColumn::name)
                .toList();
        crd.getSpec()
                .getVersions()
                .forEach(version -> version.getAdditionalPrinterColumns()
                        .sort(Comparator.comparing(
                                CustomResourceColumnDefinition::getName, Comparator.comparingInt(names::indexOf))));
        return crd;
    }

    /** Bounds are doubles in the model: 65535.0 becomes 65535 again. */
    private static JsonNode wholeNumbers(JsonNode node) {
        if (node.isDouble() && node.doubleValue() == Math.rint(node.doubleValue())) {
            return JsonNodeFactory.instance.numberNode(node.longValue());
        }
        if (node instanceof ObjectNode object) {
            object.properties().forEach(entry -> entry.setValue(wholeNumbers(entry.getValue())));
        }
        if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, wholeNumbers(array.get(i)));
            }
        }
        return node;
    }

    /** The generator wants to write somewhere; what it writes is not needed. */
    private static final class Nowhere implements CRDGenerator.CRDOutput<OutputStream> {
        @Override
        public OutputStream outputFor(String crdName) {
            return OutputStream.nullOutputStream();
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
